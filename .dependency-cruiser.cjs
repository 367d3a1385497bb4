// The floors of the house, from the ground up: hail, runtime, log and store, feeds and projector and api, scripts.
// An import never climbs, and no service knows infra/ (the engine, the registry and the recorded publishers).
const floors = [
  { room: '^services/hail/', may: '^services/hail/' },
  { room: '^services/runtime/', may: '^services/(hail|runtime)/' },
  { room: '^services/log/', may: '^services/(hail|runtime|log)/|^schemas/' },
  { room: '^services/store/', may: '^services/(hail|runtime|store)/|^schemas/' },
  { room: '^services/feeds/', may: '^services/(hail|runtime|log|feeds)/' },
  { room: '^services/projector/', may: '^services/(hail|runtime|log|store|projector)/' },
  { room: '^services/api/', may: '^services/(hail|runtime|log|store|api)/|^schemas/' },
  { room: '^infra/', may: '^services/(hail|runtime)/|^infra/' },
  { room: '^scripts/', may: '^(services|scripts|schemas)/' },
];

module.exports = {
  forbidden: [
    ...floors.map(({ room, may }) => ({
      name: `floor ${room}`,
      severity: 'error',
      from: { path: room },
      to: { path: '^(services|infra|scripts|test|schemas)/', pathNot: may },
    })),
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'hail-is-pure',
      severity: 'error',
      from: { path: '^services/hail/' },
      to: { dependencyTypes: ['npm', 'core'] },
    },
    {
      name: 'engine-only-in-infra-local',
      severity: 'error',
      from: { pathNot: '^infra/local/' },
      to: { path: 'node_modules/chdb' },
    },
    {
      // Rooms name their metrics and are handed callbacks; the library is known in one place.
      name: 'prom-client-only-in-runtime',
      severity: 'error',
      from: { pathNot: '^services/runtime/metrics\\.ts$' },
      to: { path: 'node_modules/prom-client' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.mjs', '.js', '.json'] },
  },
};
