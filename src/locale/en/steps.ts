export const steps = {
  'step.clarify': 'clarify',
  'step.setGoal': 'set-goal',
  'step.work': 'work',
  'judge.label': '{step}·verdict',
  'role.coordinator': 'coordinator',
  'role.oracle': 'oracle',
  'role.this': 'this role',
} as const;
