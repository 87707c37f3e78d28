import type { steps as english } from '../en/steps.js';

export const steps = {
  'step.clarify': '确认需求',
  'step.setGoal': '设定目标',
  'step.work': '干活',
  'judge.label': '{step}·判定',
  'role.coordinator': '协调者',
  'role.oracle': '旁路问答',
  'role.this': '这个角色',
} satisfies Record<keyof typeof english, string>;
