/** The layers of CONTRIBUTING.md: every folder and the folders that it may import. */

const ENGINE = {
  'shared/engine': [],
  'shared/engine/html': [],
  'shared/engine/archives': ['shared/engine'],
  'shared/engine/table': ['shared/engine'],
  'shared/engine/files': ['shared/engine', 'shared/engine/table'],
  'shared/engine/outbox': ['shared/engine'],
  'shared/engine/secrets': ['shared/engine', 'shared/engine/table'],
  'shared/engine/signing': [],
  'shared/engine/http': ['shared/engine', 'shared/engine/table'],
} as const;

const engines = Object.keys(ENGINE);
/** The imports that every rule folder may have: services, rows and engines. */
const BASE = ['shared', 'shared/model', ...engines];

const RULES = {
  'shared/access': [],
  'shared/organizations': ['shared/access'],
  'shared/errors': [],
  'shared/fair-shares': [],
  'shared/results': [],
  'shared/analytics': ['shared/context', 'shared/errors', 'shared/ingest', 'shared/organizations', 'shared/results'],
  'shared/analytics/metrics': ['shared/analytics', 'shared/context', 'shared/results'],
  'shared/analytics/flaky': ['shared/analytics', 'shared/analytics/metrics', 'shared/results'],
  'shared/context': ['shared/errors', 'shared/results'],
  'shared/context/markdown': ['shared/context', 'shared/errors'],
  'shared/context/trace': ['shared/results'],
  'shared/mcp': [
    ...[
      'shared/access',
      'shared/analytics/metrics',
      'shared/context',
      'shared/results',
      'shared/rules',
      'shared/webhooks',
    ],
  ],
  'shared/events': ['shared/access'],
  'shared/ingest': ['shared/results'],
  'shared/lifecycle': ['shared/access', 'shared/events', 'shared/ingest', 'shared/organizations', 'shared/results'],
  'shared/recording': [
    ...[
      'shared/context/trace',
      'shared/events',
      'shared/fair-shares',
      'shared/ingest',
      'shared/lifecycle',
      'shared/results',
    ],
  ],
  'shared/reports': ['shared/ingest', 'shared/recording', 'shared/results'],
  'shared/reports/ctrf': ['shared/reports', 'shared/reports/json'],
  'shared/reports/json': ['shared/reports'],
  'shared/reports/junit': ['shared/reports'],
  'shared/reports/playwright': ['shared/reports', 'shared/reports/json'],
  'shared/reports/reading': [
    ...['shared/ingest', 'shared/reports', 'shared/reports/ctrf', 'shared/reports/json', 'shared/reports/junit'],
    ...['shared/reports/playwright', 'shared/results'],
  ],
  'shared/rules': [
    ...['shared/access', 'shared/analytics', 'shared/analytics/flaky', 'shared/analytics/metrics'],
    ...['shared/organizations', 'shared/results'],
  ],
  'shared/cache': [],
  'shared/orchestration': [
    ...['shared/access', 'shared/analytics', 'shared/lifecycle', 'shared/organizations', 'shared/recording'],
    'shared/results',
  ],
  'shared/imports': [
    ...[
      'shared/access',
      'shared/fair-shares',
      'shared/ingest',
      'shared/lifecycle',
      'shared/organizations',
      'shared/recording',
    ],
    ...['shared/reports', 'shared/reports/reading', 'shared/results'],
  ],
  'shared/webhooks': ['shared/access', 'shared/fair-shares', 'shared/organizations'],
  'shared/notices': [
    ...['shared/access', 'shared/context', 'shared/organizations', 'shared/results', 'shared/webhooks'],
  ],
  'shared/notices/github': ['shared/context', 'shared/notices', 'shared/results', 'shared/webhooks'],
  'shared/notices/slack': ['shared/notices', 'shared/results', 'shared/webhooks'],
  'shared/notices/delivery': [
    'shared/fair-shares',
    'shared/notices',
    'shared/notices/github',
    'shared/notices/slack',
    'shared/webhooks',
  ],
  'shared/sign-in': ['shared/access', 'shared/organizations'],
  'shared/oauth': ['shared/access', 'shared/organizations', 'shared/sign-in', 'shared/webhooks'],
  'shared/pages': [
    ...[
      'shared/access',
      'shared/analytics/flaky',
      'shared/analytics/metrics',
      'shared/context',
      'shared/errors',
      'shared/notices',
      'shared/oauth',
      'shared/organizations',
      'shared/reports',
      'shared/results',
      'shared/rules',
      'shared/sign-in',
      'shared/webhooks',
    ],
  ],
} as const;

const rules = Object.keys(RULES);
const shared = ['shared/platform', ...rules, ...BASE];

const FUNCTIONS = [
  'functions',
  'functions/api',
  'functions/imports',
  'functions/queues',
  'functions/recording',
  'functions/schedules',
];
const PAGES = [
  'functions/assets',
  'functions/consent',
  'functions/forms',
  'functions/import-forms',
  'functions/oauth',
  'functions/pages',
  'functions/sign-in',
];

const INFRA = {
  'infra/build': [],
  'infra/constructs': ['infra/build'],
  'infra/stacks': ['infra/build', 'infra/constructs'],
  infra: ['infra/build', 'infra/stacks'],
  'infra/local/template': [],
  'infra/local/lambda': ['infra/local/template'],
  'infra/local/host': ['infra/build', 'infra/local/template'],
  'infra/local/build': ['infra', 'infra/build', 'infra/local/host', 'infra/local/lambda'],
  'infra/local/gateway': ['infra/local/host', 'infra/local/lambda', 'infra/local/template'],
  'infra/local/stores': ['infra/local/host', 'infra/local/template'],
  'infra/local/events': [
    ...['infra/build', 'infra/local/host', 'infra/local/lambda', 'infra/local/stores', 'infra/local/template'],
  ],
  'infra/cli': ['infra/local/host'],
  'infra/cli/verify': ['infra/cli', 'infra/local/host', 'infra/local/recording'],
  // The program tells the version of its package.
  'infra/client': ['infra/cli', 'infra/client/package'],
  'infra/operate': ['infra/build', 'infra/cli'],
  'infra/local/story': [],
  'infra/local/recording': ['infra/local/host', 'infra/local/story'],
  'infra/local': [
    ...[
      'infra',
      'infra/cli',
      'infra/local/build',
      'infra/local/events',
      'infra/local/gateway',
      'infra/local/host',
      'infra/local/lambda',
    ],
    ...['infra/stacks', 'infra/local/recording', 'infra/local/stores', 'infra/local/story', 'infra/local/template'],
  ],
} as const;

const withBase = (folders: Readonly<Record<string, readonly string[]>>, base: readonly string[]) =>
  Object.entries(folders).map(([folder, own]) => [folder, [...own, ...base]] as const);

/** Maps a folder to its allowed imports. A folder may always import itself. */
export const MAY_IMPORT: ReadonlyMap<string, readonly string[]> = new Map([
  ...withBase(ENGINE, []),
  ['shared', ['shared/model', ...engines]],
  ['shared/model', engines],
  ...withBase(RULES, BASE),
  ['shared/platform', [...rules, ...BASE]],
  ...[...FUNCTIONS, ...PAGES, 'functions/streams'].map((folder) => [folder, shared] as const),
  // Tools are operations of the API.
  ['functions/mcp', ['functions/api', ...shared]],
  ...withBase(INFRA, shared),
]);

/** Folders of tests, samples and tools. They may import everything. */
export const TEST_FOLDERS: readonly string[] = [
  'test',
  'test/access',
  'test/analytics',
  'test/analytics/oracle',
  'test/api',
  'test/client',
  'test/context',
  'test/context/trace',
  'test/contract',
  'test/end-to-end',
  'test/engine',
  'test/engine/html',
  'test/engine/http',
  'test/engine/table',
  'test/errors',
  'test/events',
  'test/fair-shares',
  'test/harness',
  'test/imports',
  'test/infra',
  'test/infra/cli',
  'test/infra/local',
  'test/infra/operate',
  'test/interruptions',
  'test/lifecycle',
  'test/mcp',
  'test/notices',
  'test/oauth',
  'test/cache',
  'test/orchestration',
  'test/organizations',
  'test/pages',
  'test/platform',
  'test/recording',
  'test/reports',
  'test/rules',
  'test/tools/bench',
  'test/tools/deep',
  'test/tools/demo',
  'test/tools/deploy',
  'test/tools/examples',
  'test/tools/mutation',
  'test/tools/regular-expressions',
  'test/tools/resources',
  'test/tools/soak',
  'test/webhooks',
];
