/** Settings files. The schemas check names and types. The service checks all other rules, for values that change. */
import * as z from 'zod';
import { invalidRequest } from '#shared/engine/errors.ts';
import { describeIssue } from '#shared/engine/http/problem.ts';
import type { ChannelPlace, HostKind, NotificationPlace } from '#shared/model/events/notification.ts';
import { mapToSchemas } from '#shared/organizations/setting-declarations.ts';
import type { FileProblems, Path } from './problems.ts';
import { readYaml } from './read-yaml.ts';

const text = z.string().optional();
const textOrNone = z.string().nullable().optional();
const flag = z.boolean().optional();
const number = z.number().optional();
const numberOrOff = z.number().nullable().optional();
const id = z.string().min(1).optional();

const Sharing = z.strictObject({ shareDays: number, aiMayRead: flag });

const Integration = z.strictObject({
  id,
  name: text,
  kind: text,
  apiUrl: text,
  account: textOrNone,
  projects: z
    .union([z.literal('all'), z.array(z.string())], { error: 'must be `all` or a list of project ids' })
    .optional(),
});

const days = z
  .union([z.number(), z.literal(['forever', 'default'])], { error: 'must be a number of days, `forever` or `default`' })
  .optional();

const Rule = z.strictObject({
  id,
  name: text,
  description: textOrNone,
  action: z.array(z.json()).optional(),
  matcher: z.record(z.string(), z.json()).optional(),
  expiresAfter: textOrNone,
  enabled: flag,
});

const Webhook = z.strictObject({
  id,
  label: textOrNone,
  url: text,
  hookEvents: z.array(z.string()).optional(),
  signed: flag,
  enabled: flag,
});

const OfHost = z
  .strictObject({ apiUrl: text, repository: text, context: text, sendsStatus: flag, comments: flag, enabled: flag })
  .optional();
const OfChannel = z.strictObject({ runs: text, branches: z.array(z.string()).optional(), enabled: flag }).optional();
const Notifications = z.strictObject({
  github: OfHost,
  gitlab: OfHost,
  slack: OfChannel,
  'slack-2': OfChannel,
  'slack-3': OfChannel,
  teams: OfChannel,
  'teams-2': OfChannel,
  'teams-3': OfChannel,
  generic: OfChannel,
  'generic-2': OfChannel,
  'generic-3': OfChannel,
} satisfies Record<HostKind, typeof OfHost> & Record<ChannelPlace, typeof OfChannel>);

const Issues = z.strictObject({
  integration: textOrNone,
  trackerProject: textOrNone,
  issueType: textOrNone,
  reportsAgain: flag,
  closesAfterPasses: numberOrOff,
  createsAfterFailures: numberOrOff,
  createsWhenFlaky: flag,
  createsPerDay: number,
  quarantines: flag,
});

const ProjectSettings = z.object(mapToSchemas(({ request, inFile = request }) => inFile)).partial();

const Project = z.strictObject({
  id,
  ...ProjectSettings.shape,
  retention: z.strictObject({ resultsDays: days, evidenceDays: days, filesDays: days }).optional(),
  rules: z.array(Rule).optional(),
  webhooks: z.array(Webhook).optional(),
  notifications: Notifications.optional(),
  issues: Issues.optional(),
});

const SettingsFile = z.strictObject({
  version: z.literal(1),
  organization: id,
  sharing: Sharing.optional(),
  integrations: z.array(Integration).optional(),
  projects: z.array(Project).optional(),
});

export type SettingsFile = z.output<typeof SettingsFile>;
export type GivenSharing = z.output<typeof Sharing>;
export type GivenIntegration = z.output<typeof Integration>;
export type GivenProject = z.output<typeof Project>;
export type GivenRule = z.output<typeof Rule>;
export type GivenWebhook = z.output<typeof Webhook>;
export type GivenNotification<Place extends NotificationPlace = NotificationPlace> = NonNullable<
  z.output<typeof Notifications>[Place]
>;
export type GivenIssues = z.output<typeof Issues>;

/** A part of the file, and where it is. */
export interface FileSection<Given> {
  readonly given: Given;
  readonly path: Path;
  readonly problems: FileProblems;
}

export const enterSection = <Given, Part>(
  { path, problems }: FileSection<Given>,
  part: Part,
  ...more: Path
): FileSection<Part> => ({
  given: part,
  path: [...path, ...more],
  problems,
});

const NOUNS: Readonly<Record<string, string>> = {
  array: 'must be a list. Write [] for an empty one',
  object: 'must be a group of settings, as in an export',
  string: 'must be text. Put it in quotes if it looks like a number or a date',
};

const describeValueIssue = (issue: z.core.$ZodRawIssue): string | undefined =>
  (issue.code === 'invalid_type' && issue.input !== undefined ? NOUNS[issue.expected] : undefined) ??
  describeIssue(issue);

export function readSettingsFile(source: string, file: string): FileSection<SettingsFile> {
  const { value, problems } = readYaml(source, file);
  const { data, error } = SettingsFile.safeParse(value, { error: describeValueIssue });
  if (data) return { given: data, path: [], problems };
  if (typeof value !== 'object' || value === null)
    throw invalidRequest(`${file} is not a settings file. "settings export" writes one`);
  addIssues(problems, [], error);
  problems.refuse();
  throw error;
}

/** The settings as `schema` reads them. If it refuses some, adds its issues as problems and returns `undefined`. */
export function parseSectionSettings<Settings>(
  schema: z.ZodType<Settings>,
  input: unknown,
  { path, problems }: FileSection<unknown>,
): Settings | undefined {
  const { data, error } = schema.safeParse(input, { error: describeIssue });
  if (error) addIssues(problems, path, error);
  return data;
}

function addIssues(problems: FileProblems, path: Path, { issues }: z.ZodError): void {
  for (const issue of issues) {
    const at = [...path, ...issue.path];
    if (issue.code === 'unrecognized_keys')
      for (const key of issue.keys) problems.add([...at, key], 'is not a setting. An export shows all names');
    else problems.add(at, issue.message);
  }
}
