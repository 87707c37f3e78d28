/**
 * The layer rule of ARCHITECTURE.md: a room imports its own band and the bands below it, never one above.
 * Bands from the bottom up; a new room goes into exactly one of them.
 */
const bands = [
  ['errors', 'prices', 'sim'],
  ['locale', 'events', 'documents', 'workbench', 'shell', 'credentials'],
  ['database', 'books', 'store'],
  ['human', 'tools', 'guards', 'agent'],
  ['runtime', 'workflow'],
  ['terminal', 'web'],
  ['cli'],
];
const path = (rooms) => `^src/(${rooms.join('|')})(/|\\.ts$)`;

const layerRules = bands.slice(0, -1).map((rooms, i) => ({
  name: `no-import-upwards-from-${rooms.join('-')}`,
  severity: 'error',
  comment: 'Lower rooms never import upper ones.',
  from: { path: path(rooms) },
  to: { path: path(bands.slice(i + 1).flat()) },
}));

module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: 'no-circular-at-run-time',
      severity: 'error',
      comment: 'Two modules that need each other when they load are one module, or lack a third.',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'sdk-only-where-it-belongs',
      severity: 'error',
      comment: 'An SDK upgrade touches these rooms and no other.',
      from: { path: '^src/', pathNot: ['^src/(agent|guards|tools|store|runtime)/', '^src/events/normalize'] },
      to: { path: 'node_modules/@anthropic-ai/claude-agent-sdk' },
    },
    {
      name: 'ui-gets-types-and-words-only',
      severity: 'error',
      comment: 'An interaction layer turns Events into words. It reaches a run through objects that it is given.',
      from: { path: '^src/(terminal|web)/' },
      to: {
        path: '^src/(store|books|database|tools|guards|agent|runtime|workflow|human)/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'entry-loads-no-ui',
      severity: 'error',
      comment: 'The root entry serves programs without a screen.',
      from: { path: '^src/index\\.ts$' },
      to: { path: '^src/(terminal|web|cli)/', reachable: true },
    },
    {
      name: 'no-dev-dependency-in-src',
      severity: 'error',
      comment: 'What the package needs at run time is a dependency.',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['npm-dev'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    exclude: { path: '\\.test\\.ts$' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
