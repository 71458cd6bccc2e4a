/** The layers of CONTRIBUTING.md: every folder and the folders that it may import. */
import { dirname } from 'node:path';

const ENGINE = {
  'shared/engine': [],
  'shared/engine/html': [],
  'shared/engine/archives': ['shared/engine'],
  'shared/engine/table': ['shared/engine'],
  'shared/engine/aws': ['shared/engine', 'shared/engine/table'],
  'shared/engine/outbox': ['shared/engine'],
  'shared/engine/http': ['shared/engine', 'shared/engine/table'],
} as const;

const engines = Object.keys(ENGINE);
/** The imports that every domain folder may have: services, rows and engines. */
const BASE = ['shared', 'shared/model', ...engines];

/** The domain folders whose answers pages show. */
const PAGE_DOMAINS = [
  'shared/access',
  'shared/analytics/flaky',
  'shared/analytics/metrics',
  'shared/context',
  'shared/errors',
  'shared/notifications',
  'shared/oauth',
  'shared/organizations',
  'shared/reports',
  'shared/results',
  'shared/rules',
  'shared/search',
  'shared/sending',
  'shared/sign-in',
  'shared/webhooks',
] as const;
/** What the pages of every subject may import. */
const PAGE_ROOMS = [...PAGE_DOMAINS, 'shared/pages/design', 'shared/pages/shell'] as const;

const DOMAIN = {
  'shared/access': [],
  'shared/organizations': ['shared/access'],
  'shared/errors': [],
  'shared/fair-shares': [],
  'shared/results': [],
  'shared/analytics': ['shared/errors', 'shared/ingest', 'shared/masking', 'shared/organizations', 'shared/results'],
  'shared/analytics/metrics': ['shared/analytics', 'shared/context', 'shared/masking', 'shared/results'],
  'shared/analytics/flaky': ['shared/analytics', 'shared/analytics/metrics', 'shared/results'],
  'shared/masking': [],
  'shared/context': ['shared/errors', 'shared/masking', 'shared/results'],
  'shared/context/markdown': ['shared/context', 'shared/errors'],
  'shared/context/trace': ['shared/results'],
  'shared/mcp': [
    'shared/access',
    'shared/analytics/metrics',
    'shared/context',
    'shared/masking',
    'shared/results',
    'shared/rules',
    'shared/webhooks',
  ],
  'shared/events': ['shared/access'],
  'shared/ingest': ['shared/results'],
  'shared/lifecycle': ['shared/access', 'shared/events', 'shared/ingest', 'shared/organizations', 'shared/results'],
  'shared/recording': [
    'shared/context/trace',
    'shared/events',
    'shared/fair-shares',
    'shared/ingest',
    'shared/lifecycle',
    'shared/results',
  ],
  'shared/reports': ['shared/ingest', 'shared/recording', 'shared/results'],
  'shared/reports/ctrf': ['shared/reports', 'shared/reports/json'],
  'shared/reports/json': ['shared/reports'],
  'shared/reports/junit': ['shared/reports'],
  'shared/reports/playwright': ['shared/reports', 'shared/reports/json'],
  'shared/reports/reading': [
    'shared/ingest',
    'shared/reports',
    'shared/reports/ctrf',
    'shared/reports/json',
    'shared/reports/junit',
    'shared/reports/playwright',
    'shared/results',
  ],
  'shared/rules': [
    'shared/access',
    'shared/analytics',
    'shared/analytics/flaky',
    'shared/analytics/metrics',
    'shared/organizations',
    'shared/results',
  ],
  'shared/search': ['shared/analytics', 'shared/results'],
  'shared/cache': [],
  'shared/orchestration': [
    'shared/access',
    'shared/analytics',
    'shared/lifecycle',
    'shared/organizations',
    'shared/recording',
    'shared/results',
  ],
  'shared/imports': [
    'shared/access',
    'shared/fair-shares',
    'shared/ingest',
    'shared/lifecycle',
    'shared/organizations',
    'shared/recording',
    'shared/reports',
    'shared/reports/reading',
    'shared/results',
  ],
  'shared/sending': [],
  'shared/webhooks': ['shared/access', 'shared/fair-shares', 'shared/organizations', 'shared/sending'],
  'shared/notifications': [
    'shared/access',
    'shared/context',
    'shared/organizations',
    'shared/results',
    'shared/sending',
  ],
  'shared/notifications/github': ['shared/context', 'shared/notifications', 'shared/results', 'shared/sending'],
  'shared/notifications/channels': ['shared/notifications'],
  'shared/notifications/delivery': [
    'shared/fair-shares',
    'shared/notifications',
    'shared/notifications/github',
    'shared/notifications/channels',
    'shared/sending',
  ],
  'shared/sign-in': ['shared/access', 'shared/organizations'],
  'shared/oauth': ['shared/access', 'shared/organizations', 'shared/sending', 'shared/sign-in'],
  'shared/pages/design': PAGE_DOMAINS,
  'shared/pages/shell': [...PAGE_DOMAINS, 'shared/pages/design'],
  'shared/pages/imports': PAGE_ROOMS,
  'shared/pages/rules': PAGE_ROOMS,
  'shared/pages/settings': [...PAGE_ROOMS, 'shared/pages/home'],
  'shared/pages/home': [...PAGE_ROOMS, 'shared/pages/imports'],
  'shared/pages/tests': [...PAGE_ROOMS, 'shared/pages/rules'],
  'shared/pages/analytics': [...PAGE_ROOMS, 'shared/pages/rules', 'shared/pages/tests'],
  'shared/pages/runs': [...PAGE_ROOMS, 'shared/pages/home', 'shared/pages/rules', 'shared/pages/tests'],
  'shared/pages/account': [...PAGE_ROOMS, 'shared/pages/home'],
  'shared/pages/organization': [...PAGE_ROOMS, 'shared/pages/account', 'shared/pages/home'],
} as const;

const domains = Object.keys(DOMAIN);
const shared = ['shared/platform', ...domains, ...BASE];

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
  'functions/contexts',
  'functions/forms',
  'functions/import-forms',
  'functions/oauth',
  'functions/pages',
  'functions/run-forms',
  'functions/settings',
  'functions/sign-in',
];

const INFRA = {
  'infra/build': [],
  'infra/constructs': ['infra/build'],
  'infra/stacks': ['infra/build', 'infra/constructs'],
  infra: ['infra/build', 'infra/stacks'],
  'infra/local/template': [],
  'infra/local/styleguide': ['infra/build', 'shared/errors', 'shared/pages/design'],
  'infra/local/lambda': ['infra/local/template'],
  'infra/local/host': ['infra/build', 'infra/local/template'],
  'infra/local/build': ['infra', 'infra/build', 'infra/local/host', 'infra/local/lambda'],
  'infra/local/gateway': ['infra/local/host', 'infra/local/lambda', 'infra/local/template'],
  'infra/local/stores': ['infra/local/host', 'infra/local/template'],
  'infra/local/events': [
    'infra/build',
    'infra/local/host',
    'infra/local/lambda',
    'infra/local/stores',
    'infra/local/template',
  ],
  'infra/cli': ['infra/local/host'],
  'infra/cli/verify': ['infra/cli', 'infra/local/host', 'infra/demo/recording'],
  // The command reports the version of its package.
  'infra/client': ['infra/cli', 'infra/client/package'],
  'infra/operate': ['infra/build', 'infra/cli'],
  'infra/demo/story': [],
  'infra/demo/recording': ['infra/demo/story', 'infra/local/host'],
  'infra/demo': ['infra/cli', 'infra/demo/recording', 'infra/demo/story', 'infra/local/host'],
  'infra/local': [
    'infra',
    'infra/cli',
    'infra/local/build',
    'infra/local/events',
    'infra/local/gateway',
    'infra/local/host',
    'infra/local/lambda',
    'infra/stacks',
    'infra/demo',
    'infra/demo/recording',
    'infra/local/stores',
    'infra/local/styleguide',
    'infra/local/template',
  ],
} as const;

const withBase = (folders: Readonly<Record<string, readonly string[]>>, base: readonly string[]) =>
  Object.entries(folders).map(([folder, own]) => [folder, [...own, ...base]] as const);

/**
 * The folder of a file in the table of layers. All of `shared/model` is one layer, whose subfolders only sort the kinds
 * of rows.
 */
export const folderOf = (file: string): string => dirname(file).replace(/^shared\/model\/.*$/, 'shared/model');

/** Maps a folder to the folders that it may import. A folder may always import itself. */
export const MAY_IMPORT: ReadonlyMap<string, readonly string[]> = new Map([
  ...withBase(ENGINE, []),
  ['shared', ['shared/model', ...engines]],
  ['shared/model', engines],
  ...withBase(DOMAIN, BASE),
  ['shared/platform', [...domains, ...BASE]],
  ...[...FUNCTIONS, ...PAGES, 'functions/streams'].map((folder) => [folder, shared] as const),
  // MCP tools are operations of the API.
  ['functions/mcp', ['functions/api', ...shared]],
  ...withBase(INFRA, shared),
]);

/** Folders of tests, samples and tools, which may import everything. */
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
  'test/notifications',
  'test/oauth',
  'test/cache',
  'test/orchestration',
  'test/organizations',
  'test/pages',
  'test/platform',
  'test/recording',
  'test/release',
  'test/reports',
  'test/rules',
  'test/tools/bench',
  'test/tools/deep',
  'test/tools/demo',
  'test/tools/deploy',
  'test/tools/examples',
  'test/tools/mutation',
  'test/tools/regular-expressions',
  'test/tools/release',
  'test/tools/resources',
  'test/tools/soak',
  'test/webhooks',
];
