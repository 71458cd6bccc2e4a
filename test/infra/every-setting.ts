import type { SettingName } from '#infra/stacks/settings.ts';

export const TABLE_STREAM =
  'arn:aws:dynamodb:eu-west-1:123456789012:table/rundown-prod-restored/stream/2026-11-20T10:00:00.000';

/**
 * The settings of a prod environment that uses a restored table, which was imported into the stack. Those that exclude
 * one of these, or would change what tests of these compare, are in `OTHERS`.
 */
export const EVERY_SETTING = {
  env: 'prod',
  domain: 'results.example.com',
  certificate: 'arn:aws:acm:eu-west-1:123456789012:certificate/1',
  privateWebhooks: 'true',
  dailyExports: 'true',
  subnets: 'subnet-0a1,subnet-0b2',
  securityGroups: 'sg-0c3d4e5f',
  signingKeys: 'first,second',
  githubClient: 'Ov23abc',
  githubUrl: 'https://github.example.com',
  signInIssuer: 'https://sso.example.com',
  signInClient: 'rundown',
  signInName: 'Acme',
  trustedDomains: 'example.com,example.org',
  alarmEmail: 'on-call@example.com',
  warningEmail: 'team@example.com',
  budget: '500',
  metricsPerRoute: 'true',
  consumerConcurrency: '4',
  lambdaConcurrency: '50',
  throttle: '3000',
  organizationThrottle: '2500,6000',
  tableMaximum: '60000,45000',
  tableQuota: '80000',
  requestsPerMonth: '50000000',
  storedGigabytes: '8000',
  resultsDays: '180',
  evidenceDays: '60',
  filesDays: '30',
  logDays: '14',
  table: 'rundown-prod-restored',
  tableStream: TABLE_STREAM,
  tableImport: 'true',
  backupVault: 'arn:aws:backup:eu-west-1:210987654321:backup-vault:rundown',
  tracing: 'true',
  dashboard: 'true',
  webAcl: 'arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/rundown/0a1b2c',
  owner: 'qa-platform',
  costCenter: '4711',
};

export const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d-0000-4000-8000-000000000000';

const OTHERS = {
  zone: 'Z0A1B2C3',
  oauthIssuer: 'https://auth.example.com',
  trackerNetwork: '10.1.2.0/24',
  lambdaConcurrency: '1000',
  access: 'private',
  vpcEndpoints: 'vpce-0a1,vpce-0b2',
  allowedSources: '203.0.113.0/24,198.51.100.7/32',
  kmsKey: KEY,
  tableClass: 'standard-infrequent-access',
  reservedConcurrency: '200',
  provisionedConcurrency: '3',
  accountLogging: 'false',
};

type Examples = typeof EVERY_SETTING & typeof OTHERS;

/** An example value of each setting. The compiler names a setting without one. */
const EXAMPLES: Readonly<Record<SettingName, string>> = { ...EVERY_SETTING, ...OTHERS } satisfies Examples;

const without = (...names: readonly SettingName[]): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(EXAMPLES).filter(([name]) => !names.some((one) => one === name)));

/** A private API with a table of its own. */
export const PRIVATE = without('table', 'tableStream', 'tableImport', 'domain', 'certificate', 'zone');
/** A public API that only some networks may use, with a table of its own and tokens of its own. */
const PUBLIC = without('table', 'tableStream', 'tableImport', 'access', 'vpcEndpoints', 'oauthIssuer');

/** Sets of settings of which every setting is in at least one. `npm run scan` and tests synthesize them. */
export const FULL_SETS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'prod with a restored table': EVERY_SETTING,
  'prod with a public API': PUBLIC,
  'prod with a private API': PRIVATE,
};
