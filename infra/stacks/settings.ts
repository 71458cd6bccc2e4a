/** The settings of `infra/environments/<env>.json` and of `-c name=value`, validated before synthesis. */

import type { Node } from 'constructs';
import * as z from 'zod';
import { ENVIRONMENTS, type Environment } from '#infra/build/environments.ts';
import type { Budget } from '#infra/constructs/budget.ts';
import type { Domain } from '#infra/constructs/custom-domain.ts';
import type { FunctionSettings } from '#infra/constructs/surroundings.ts';
import { WARM_FUNCTIONS } from '#infra/constructs/warm-functions.ts';
import type { Retention } from '#shared/model/runs/retention.ts';
import { type ChoosableLimit, GIGABYTE } from '#shared/model/usage/usage-limits.ts';
import type { RouteThrottle } from '#shared/platform/routes.ts';
import {
  CONSUMERS_AT_ONCE,
  integerBetween,
  isKnownLater,
  KEPT_DAYS,
  KeptDays,
  KeyNames,
  LAMBDA_CONCURRENCY,
  LOG_DAYS,
  listOfIds,
  makeYesNo,
  Networks,
  TABLE_UNITS,
  TableMaximum,
  Throttle,
  UNRESERVED_CONCURRENCY,
  YesNo,
} from './setting-types.ts';
import { listLostSettings, readSettingsFile } from './settings-file.ts';
import {
  IssuerUrl,
  SIGN_IN_RULES,
  SIGN_IN_SETTINGS,
  type SignInSettings,
  toSignInProviders,
} from './sign-in-settings.ts';

export interface RestoredTableSettings {
  readonly tableName: string;
  readonly tableStreamArn: string;
  /** Whether the stack also defines the table, so that deployments change its settings. */
  readonly isImported: boolean;
}

const Context = z
  .object({
    env: z.enum(['dev', 'staging', 'prod'], 'must be dev, staging or prod').default('dev'),
    domain: z
      .hostname('must be a host name such as results.example.com')
      .optional()
      .describe('The host name of the service. Needs `certificate`.'),
    certificate: z
      .string()
      .refine((arn) => arn.startsWith('arn:') || isKnownLater(arn), 'must be the ARN of an ACM certificate')
      .optional()
      .describe('The ARN of the ACM certificate for the domain, in the region of the stack. Needs `domain`.'),
    zone: z
      .string()
      .optional()
      .describe('The id of the Route 53 hosted zone in which the record of the domain is created.'),
    webAcl: z
      .string()
      .refine(
        (arn) => /^arn:[\w-]+:wafv2:[\w-]+:\d{12}:regional\/webacl\/[\w-]+\/[\w-]+$/.test(arn) || isKnownLater(arn),
        'must be the ARN of a regional web ACL of AWS WAF, in the region of the stack',
      )
      .optional()
      .describe('The ARN of a regional web ACL in front of the API.'),
    allowedSources: Networks.optional().describe(
      'The networks that may use the service, with commas between them, such as `203.0.113.0/24`. Default: all.',
    ),
    access: z
      .enum(['public', 'private'], 'must be public or private')
      .default('public')
      .describe('`private`: only the VPC endpoints in `vpcEndpoints` reach the service. Default: `public`.'),
    vpcEndpoints: listOfIds('vpce')
      .optional()
      .describe('The ids of interface endpoints for `execute-api`, with commas between them. Needs `access` private.'),
    kmsKey: z
      .string()
      .refine(
        (arn) => /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/.test(arn) || isKnownLater(arn),
        'must be the ARN of a symmetric key of AWS KMS in the region of the stack, such as arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d-... An alias is not enough',
      )
      .optional()
      .describe('The ARN of the KMS key that encrypts table, files, queues, alarms, logs and stored credentials.'),
    tableClass: z
      .enum(['standard', 'standard-infrequent-access'], 'must be standard or standard-infrequent-access')
      .default('standard')
      .describe('The table class of DynamoDB, `standard` or `standard-infrequent-access`. Default: `standard`.'),
    oauthIssuer: IssuerUrl.optional().describe(
      'An external issuer of access tokens. Default: the service issues them.',
    ),
    signingKeys: KeyNames.describe(
      'The names of the keys that sign access tokens, with commas between them. Default: `first`.',
    ),
    ...SIGN_IN_SETTINGS,
    privateWebhooks: YesNo.describe('Whether webhooks may use plain HTTP and private addresses. Default: false.'),
    subnets: listOfIds('subnet')
      .optional()
      .describe(
        'The ids of subnets for the functions that send webhooks and notifications, with commas between them. Needs `securityGroups`.',
      ),
    securityGroups: listOfIds('sg')
      .optional()
      .describe(
        'The ids of security groups for the functions in `subnets`, with commas between them. Needs `subnets`.',
      ),
    trackerNetwork: z
      .union([z.cidrv4(), z.cidrv6()], 'must be a network in CIDR notation, such as 10.1.2.0/24')
      .optional()
      .describe('The network of private issue trackers, such as `10.1.2.0/24`. Needs `subnets`.'),
    alarmEmail: z
      .email('must be an email address')
      .optional()
      .describe('The email address that receives urgent alarms, and all others without `warningEmail`.'),
    warningEmail: z
      .email('must be an email address')
      .optional()
      .describe('The email address that receives alarms that are not urgent. Default: `alarmEmail`.'),
    budget: integerBetween(1, 1_000_000)
      .optional()
      .describe('The monthly budget of the whole account, in US dollars. Needs `alarmEmail`.'),
    metricsPerRoute: YesNo.describe(
      'Whether each route has its own metrics. CloudWatch bills them as custom metrics. Default: false.',
    ),
    consumerConcurrency: integerBetween(CONSUMERS_AT_ONCE.least, CONSUMERS_AT_ONCE.most)
      .default(CONSUMERS_AT_ONCE.unset)
      .describe('The maximum number of concurrent executions per queue, from 2 to 1000. Default: 10.'),
    lambdaConcurrency: integerBetween(10, 1_000_000)
      .default(LAMBDA_CONCURRENCY)
      .describe('The Lambda concurrency limit of the account. An alarm is raised at 80 % of it. Default: 1000.'),
    throttle: Throttle.optional().describe(
      'The requests per second of each API method, such as `2000`, or `2000,4000` with the burst. Default: that of the environment.',
    ),
    organizationThrottle: Throttle.optional().describe(
      'The requests per second of each organization, in the form of `throttle`. Also the rate of each key. Default: half of `throttle`.',
    ),
    tableMaximum: TableMaximum.optional().describe(
      'The maximum read units and write units of the table per second, such as `30000,20000`. Default: that of the environment.',
    ),
    tableQuota: integerBetween(1, 10_000_000)
      .default(TABLE_UNITS)
      .describe('The quota of the account for the units per second of a table. Default: 40000.'),
    requestsPerMonth: integerBetween(1, 1_000_000_000_000)
      .optional()
      .describe('The requests of each organization per calendar month. Default: that of the environment.'),
    storedGigabytes: integerBetween(1, 1_000_000)
      .optional()
      .describe('The gigabytes of stored files of each organization. Default: that of the environment.'),
    resultsDays: KeptDays.optional().describe(
      'The days for which results are kept, or `forever`. Default: that of the environment.',
    ),
    evidenceDays: KeptDays.optional().describe(
      'The days for which steps, output and trace analyses are kept, or `forever`. Default: that of the environment.',
    ),
    filesDays: KeptDays.optional().describe(
      'The days for which files are kept, or `forever`. Default: that of the environment.',
    ),
    logDays: integerBetween(1, KEPT_DAYS)
      .refine((days) => LOG_DAYS.includes(days), `must be a period that CloudWatch offers: ${LOG_DAYS.join(', ')}`)
      .optional()
      .describe('The days for which logs are kept, such as `30`. Default: that of the environment.'),
    reservedConcurrency: integerBetween(1, 100_000)
      .optional()
      .describe('The concurrency that is reserved for the authorizer, and its limit. Default: none.'),
    provisionedConcurrency: integerBetween(1, 10_000)
      .optional()
      .describe('The environments that the authorizer and each recording function keep ready. Default: none.'),
    accountLogging: makeYesNo('true').describe(
      "Whether the stack sets the role with which API Gateway writes the logs of all APIs of the account's region. Default: true.",
    ),
    table: z
      .string()
      .optional()
      .describe('The name of a restored table, which is used instead of a new one. Needs `tableStream`.'),
    tableStream: z.string().optional().describe('The ARN of the stream of the restored table. Needs `table`.'),
    tableImport: YesNo.describe(
      'Whether the stack manages the settings of the restored table, after `cdk import`. Needs `table`. Default: false.',
    ),
    dailyExports: YesNo.describe('Whether a schedule exports the executions of each day as Parquet. Default: false.'),
    tracing: YesNo.describe('Whether AWS X-Ray traces a sample of the requests. Default: false.'),
    backupVault: z
      .string()
      .refine(
        (arn) => /^arn:[\w-]+:backup:[\w-]+:\d{12}:backup-vault:[\w-]+$/.test(arn) || isKnownLater(arn),
        'must be the ARN of a vault of AWS Backup, best in another account',
      )
      .optional()
      .describe('The ARN of a vault of AWS Backup, to which the table is copied each day.'),
    dashboard: YesNo.describe('Whether there is a CloudWatch dashboard. Default: false.'),
    owner: z
      .string()
      .default('unassigned')
      .describe('The value of the tag `owner` of all resources. Default: `unassigned`.'),
    costCenter: z
      .string()
      .default('unassigned')
      .describe('The value of the tag `cost-center` of all resources. Default: `unassigned`.'),
  })
  .refine(({ domain, certificate }) => (domain === undefined) === (certificate === undefined), {
    path: ['domain'],
    message: 'and -c certificate=<ARN of its ACM certificate in the region of the stack> must be set together',
  })
  .superRefine((settings, context) => {
    for (const { path, message, isKept } of SIGN_IN_RULES)
      if (!isKept(settings)) context.addIssue({ code: 'custom', path: [path], message });
  })
  .refine(({ subnets, securityGroups }) => (subnets === undefined) === (securityGroups === undefined), {
    path: ['subnets'],
    message: 'and -c securityGroups=<ids of security groups> must be set together',
  })
  .refine(({ trackerNetwork, subnets }) => trackerNetwork === undefined || subnets !== undefined, {
    path: ['trackerNetwork'],
    message: 'needs -c subnets=<ids of subnets> and -c securityGroups=<ids> that can reach the trackers',
  })
  .refine(({ access, vpcEndpoints }) => (access === 'private') === (vpcEndpoints !== undefined), {
    path: ['access'],
    message: 'and -c vpcEndpoints=<ids of interface endpoints for execute-api> must be set together (access=private)',
  })
  .refine(({ access, domain }) => access === 'public' || domain === undefined, {
    path: ['access'],
    message:
      'cannot be private with -c domain=<host name>: a private API has the address in the output RecordUrl. Leave out domain, certificate and zone',
  })
  .refine(
    ({ reservedConcurrency: reserved, provisionedConcurrency: provisioned }) =>
      reserved === undefined || provisioned === undefined || provisioned <= reserved,
    {
      path: ['provisionedConcurrency'],
      message: 'must not be larger than -c reservedConcurrency, which limits the authorizer',
    },
  )
  .refine(
    ({ reservedConcurrency, provisionedConcurrency = 0, lambdaConcurrency }) =>
      (reservedConcurrency ?? provisionedConcurrency) + WARM_FUNCTIONS.length * provisionedConcurrency <=
        lambdaConcurrency - UNRESERVED_CONCURRENCY ||
      (reservedConcurrency === undefined && provisionedConcurrency === 0),
    {
      path: ['provisionedConcurrency'],
      message: `for ${WARM_FUNCTIONS.length + 1} functions and -c reservedConcurrency must leave ${UNRESERVED_CONCURRENCY} of -c lambdaConcurrency to other functions`,
    },
  )
  .refine(({ budget, alarmEmail }) => budget === undefined || alarmEmail !== undefined, {
    path: ['budget'],
    message: 'needs -c alarmEmail=<address>. AWS sends the budget notifications to this address',
  })
  .refine(({ tableMaximum, tableQuota }) => !tableMaximum || getMostUnits(tableMaximum) <= tableQuota, {
    path: ['tableMaximum'],
    message:
      'must not exceed the quota of the account, which is 40000 units unless AWS raised it. Then also set -c tableQuota=<units>',
  })
  .refine(({ resultsDays, evidenceDays }) => !isLonger(evidenceDays, resultsDays), {
    path: ['evidenceDays'],
    message: 'must not be longer than -c resultsDays, because evidence is deleted together with its results',
  })
  .refine(({ resultsDays, filesDays }) => !isLonger(filesDays, resultsDays), {
    path: ['filesDays'],
    message: 'must not be longer than -c resultsDays, because files are deleted together with their results',
  })
  .refine(({ env, throttle, organizationThrottle }) => !exceeds(organizationThrottle, resolveThrottle(env, throttle)), {
    path: ['organizationThrottle'],
    message: 'must not exceed the limit of each method. Also set a higher -c throttle=<requests per second>',
  })
  .refine(({ table, tableStream }) => (table === undefined) === (tableStream === undefined), {
    path: ['table'],
    message: 'and -c tableStream=<ARN of its stream> must be set together',
  })
  .refine(({ table, tableImport }) => !tableImport || table !== undefined, {
    path: ['tableImport'],
    message: 'needs -c table=<name of the restored table> and -c tableStream=<ARN of its stream>',
  })
  .refine(({ env, table }) => table === undefined || table.startsWith(`rundown-${env}-`), {
    path: ['table'],
    message: 'must begin with rundown-<env>-, so that no environment uses the table of another',
  })
  .refine(({ table, tableStream }) => tableStream === undefined || tableStream.includes(`:table/${table}/stream/`), {
    path: ['tableStream'],
    message: 'must be the stream of the table in -c table=<table>, such as arn:...:table/<table>/stream/<time>',
  });

type Context = z.output<typeof Context>;

function getMostUnits({ readUnits, writeUnits }: Environment['tableMaximum']): number {
  return Math.max(readUnits, writeUnits);
}

/** `undefined` follows the environment. `null` is forever. */
function isLonger(part: number | null | undefined, whole: number | null | undefined): boolean {
  if (part === undefined || whole === undefined || whole === null) return false;
  return part === null || part > whole;
}

function resolveThrottle(env: Environment['name'], throttle: RouteThrottle | undefined): RouteThrottle {
  return throttle ?? ENVIRONMENTS[env].throttle;
}

const exceeds = (one: RouteThrottle | undefined, other: RouteThrottle): boolean =>
  one !== undefined && (one.requestsPerSecond > other.requestsPerSecond || one.burstRequests > other.burstRequests);

/** Settings that replace values of the environment. */
type LimitName =
  | 'throttle'
  | 'organizationThrottle'
  | 'tableMaximum'
  | 'tableQuota'
  | 'requestsPerMonth'
  | 'storedGigabytes'
  | 'resultsDays'
  | 'evidenceDays'
  | 'filesDays'
  | 'logDays';
type Limits = Pick<Context, LimitName>;

/** Settings that only have a meaning together are one member. */
type Groups =
  | 'env'
  | 'domain'
  | 'certificate'
  | 'zone'
  | keyof SignInSettings
  | 'subnets'
  | 'securityGroups'
  | 'budget'
  | 'table'
  | 'tableStream'
  | 'tableImport';
export interface Settings
  extends Readonly<Omit<Context, Groups | LimitName | 'owner' | 'costCenter'>>,
    FunctionSettings {
  readonly environment: Environment;
  readonly domain: Domain | undefined;
  /** Its alerts go to the email address that receives the alarms. */
  readonly budget: Budget | undefined;
  /** A table restored from a backup, which is used instead of a new table. */
  readonly restoredTable: RestoredTableSettings | undefined;
  readonly tags: Readonly<Record<string, string>>;
}

export type SettingName = keyof typeof Context.shape;
/** The names of all settings, and `env`. */
export const NAMES = Object.keys(Context.shape);

const listUnknownNames = (settings: object): string[] =>
  Object.keys(settings).filter((name) => name === 'env' || !NAMES.includes(name));

/**
 * Settings that the CDK context lacks come from the file in `environments`, unless `settingsFile=false`. Throws an
 * error that lists invalid settings, or those that the deployment would remove or change by mistake.
 */
export function readSettings(node: Node, environments: string | undefined): Settings {
  const flags = Object.fromEntries(NAMES.map((name): [string, unknown] => [name, node.tryGetContext(name)]));
  if (environments === undefined || node.tryGetContext('settingsFile') === 'false')
    return toSettings(validateContext(flags));
  const file = readSettingsFile(environments, validateContext({ env: flags['env'] }).env);
  const unknown = listUnknownNames(file.settings);
  if (unknown.length > 0)
    throw new Error(`${file.path} contains entries that are not settings of an environment: ${unknown.join(', ')}`);
  const values = Object.fromEntries(
    NAMES.map((name): [string, unknown] => [name, flags[name] ?? file.settings[name]?.toString()]),
  );
  const settings = toSettings(validateContext(values));
  const losses = listLostSettings(file, values, z.string().default('').parse(node.tryGetContext('change')).split(','));
  if (losses.length > 0) throw new Error([...losses, CHANGE].join('\n'));
  return settings;
}

/** For commands that change a deployment. They do not know what a deployment was given by `-c name=value`. */
export function readFileSettings(environments: string, env: Environment['name']): Settings {
  const { settings } = readSettingsFile(environments, env);
  const values = Object.entries(settings).map(([name, value]) => [name, value?.toString()]);
  return toSettings(validateContext({ ...Object.fromEntries(values), env }));
}

/** The optional properties of the construct for other CDK apps, as members of a TypeScript interface. */
export const declareProperties = (): string =>
  Object.entries(Context.shape)
    .filter(([name]) => name !== 'env')
    .map(([name, schema]) => `  /** ${schema.description} */\n  readonly ${name}?: ${findType(schema)};\n`)
    .join('');

function findType(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return findType(schema.unwrap());
  return String(z.globalRegistry.get(schema)?.['type'] ?? 'string');
}

/** For another CDK app, with the names and values of a settings file. Nothing is compared with earlier deployments. */
export function parseAppSettings(
  env: Environment['name'],
  others: Readonly<Record<string, string | number | boolean | undefined>>,
): Settings {
  const unknown = listUnknownNames(others);
  if (unknown.length > 0) throw new Error(`Rundown has no settings with these names: ${unknown.join(', ')}`);
  const values = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, value?.toString()]));
  try {
    return toSettings(validateContext({ ...values, env }));
  } catch (error) {
    // The messages show settings as command line options (`-c domain=...`). An app has no such options.
    throw new Error(String(error instanceof Error ? error.message : error).replaceAll('-c ', ''), { cause: error });
  }
}

function validateContext(context: Readonly<Record<string, unknown>>): Context {
  const result = Context.safeParse(context);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `-c ${path.join('.')}=... ${message}`);
  throw new Error(problems.join('\n'));
}

const CHANGE = 'If this is intended, list the names of these settings: -c change=<name>,<name>';

function toSettings(context: Context): Settings {
  const { env, domain, certificate, zone, subnets, securityGroups, budget, owner, costCenter, ...others } = context;
  const { table, tableStream, tableImport, ...othersWithSignIn } = others;
  // `toSignInProviders` reads these from the context.
  const { githubClient, githubUrl, signInIssuer, signInClient, signInName, trustedDomains, ...limits } =
    othersWithSignIn;
  const { environment, ...settings } = adjustEnvironment(env, limits);
  const { alarmEmail } = settings;
  return {
    ...settings,
    environment,
    domain: domain && certificate ? { domainName: domain, certificateArn: certificate, hostedZoneId: zone } : undefined,
    signInProviders: toSignInProviders(context),
    network: subnets && securityGroups ? { subnetIds: subnets, securityGroupIds: securityGroups } : undefined,
    budget: budget && alarmEmail ? { dollarsPerMonth: budget, email: alarmEmail } : undefined,
    restoredTable:
      table && tableStream ? { tableName: table, tableStreamArn: tableStream, isImported: tableImport } : undefined,
    tags: { app: 'rundown', env, owner, 'cost-center': costCenter },
  };
}

/** Returns the environment with the limits of the settings, and the other settings. */
function adjustEnvironment<Others extends Limits>(env: Environment['name'], settings: Others) {
  const {
    throttle,
    organizationThrottle,
    tableMaximum,
    tableQuota: _,
    requestsPerMonth,
    storedGigabytes,
    resultsDays,
    evidenceDays,
    filesDays,
    logDays,
    ...others
  } = settings;
  const defaults = ENVIRONMENTS[env];
  const methodThrottle = resolveThrottle(env, throttle);
  const environment: Environment = {
    ...defaults,
    throttle: methodThrottle,
    organizationThrottle: organizationThrottle ?? halve(methodThrottle),
    tableMaximum: tableMaximum ?? defaults.tableMaximum,
    usageLimits: {
      requestsPerMonth: requestsPerMonth ?? defaults.usageLimits.requestsPerMonth,
      storedBytes: storedGigabytes === undefined ? defaults.usageLimits.storedBytes : storedGigabytes * GIGABYTE,
      chosen: listChosenLimits({ requestsPerMonth, storedGigabytes }),
    },
    retention: adjustRetention(defaults.retention, { resultsDays, evidenceDays, filesDays }),
    logRetentionDays: logDays ?? defaults.logRetentionDays,
  };
  return { ...others, environment };
}

const halve = ({ requestsPerSecond, burstRequests }: RouteThrottle): RouteThrottle => ({
  requestsPerSecond: Math.ceil(requestsPerSecond / 2),
  burstRequests: Math.ceil(burstRequests / 2),
});

const listChosenLimits = ({
  requestsPerMonth,
  storedGigabytes,
}: Pick<Limits, 'requestsPerMonth' | 'storedGigabytes'>): ChoosableLimit[] => [
  ...(requestsPerMonth === undefined ? [] : ['requestsPerMonth' as const]),
  ...(storedGigabytes === undefined ? [] : ['storedBytes' as const]),
];

/** `resolveRetention` bounds evidence and files by the results. */
const adjustRetention = (
  defaults: Retention,
  { resultsDays, evidenceDays, filesDays }: Pick<Limits, keyof Retention>,
): Retention => ({
  resultsDays: resultsDays === undefined ? defaults.resultsDays : resultsDays,
  evidenceDays: evidenceDays === undefined ? defaults.evidenceDays : evidenceDays,
  filesDays: filesDays === undefined ? defaults.filesDays : filesDays,
});
