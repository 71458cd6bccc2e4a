/** §5.2 Issue trackers and known issues in the API: request and response schemas. */
import * as z from 'zod';
import { dateTime, formatIsoTime } from '#shared/engine/http/date-time.ts';
import { atMost } from '#shared/engine/http/lists.ts';
import { hasCredential } from '#shared/model/credential.ts';
import type { Integration } from '#shared/model/issues/integration.ts';
import { ISSUE_STATES, type KnownIssue } from '#shared/model/issues/known-issue.ts';
import { listTrackers, TRACKER_KINDS } from '#shared/model/issues/tracker-kind.ts';
import { id, projectId, text } from '#shared/model/names.ts';
import { targetMembers } from '#shared/results/executions/target-wire.ts';
import { ISSUE_LIMITS } from './limits.ts';
import type { IssueType, PageOfProjects } from './trackers/tracker.ts';

export const trackerId = text(ISSUE_LIMITS.trackerIdCharacters).min(1);

export const inPath = {
  projectId,
  integrationId: id.meta({ description: 'Id from `GET /integrations`' }),
  issueId: id.meta({ description: 'Id of a link between a test and an issue' }),
  issueKey: trackerId.meta({ description: 'Key or address of a Jira issue, such as `SHOP-12`' }),
  jiraProjectId: trackerId.meta({ description: 'Id or key of a Jira project' }),
};

export const IntegrationWire = z
  .object({
    integrationId: z.string(),
    kind: z.enum(TRACKER_KINDS),
    name: z.string(),
    url: z.string().meta({ description: 'URL of the tracker’s API, or of the Jira site' }),
    projectIds: z
      .array(z.string())
      .nullable()
      .meta({ description: 'The projects that may use the connection; null means all projects' }),
    problem: z.string().nullable().meta({ description: 'Why the connection does not work; null if it works' }),
  })
  .meta({ id: 'Integration' });

export function presentIntegration(integration: Integration): z.infer<typeof IntegrationWire> {
  const { integrationId, kind, name, apiUrl, projectIds, refused } = integration;
  return {
    integrationId,
    kind,
    name,
    url: apiUrl,
    projectIds: projectIds ? [...projectIds] : null,
    problem: hasCredential(integration) ? (refused?.problem ?? null) : 'The token is missing. Enter it again',
  };
}

/** Such as `a Jira project, a GitHub repository or a Linear team`. */
const PLACES = listTrackers(({ place, placeOfTracker = place }) => `a ${placeOfTracker}`);

export const TrackerProjectWire = z
  .object({
    id: z.string().meta({ description: 'Send it as `trackerProjectId` to create an issue' }),
    key: z.string(),
    name: z.string(),
  })
  .meta({ id: 'TrackerProject', description: `A${PLACES.slice(1)}` });

export const IssueTypeWire = z.object({ id: z.string(), name: z.string() }).meta({ id: 'IssueType' });

const { minimum, maximum, default: usual } = ISSUE_LIMITS.trackerPage;

/** Parameters for pages of a tracker's lists. Published clients need these limits, which differ from those of §8. */
export const trackerPage = {
  search: text(ISSUE_LIMITS.searchCharacters).optional().meta({ description: 'Part of the name or key' }),
  page: z.int().min(0).max(10_000).default(0).meta({ description: 'Page, counted from 0' }),
  limit: z.int().min(minimum).max(maximum).default(usual).meta({ description: 'Items per page' }),
};

export const trackerPageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    status: z.literal('OK'),
    data: z.array(item),
    total: z.int().nullable().meta({ description: 'null if the tracker does not say' }),
    nextPage: z.union([z.int(), z.literal(false)]),
  });

interface TrackerPageRequest {
  readonly page: number;
  readonly limit: number;
}

export const presentProjects = ({ projects, total, hasMore }: PageOfProjects, { page }: TrackerPageRequest) => ({
  status: 'OK' as const,
  data: [...projects],
  total: total ?? null,
  nextPage: hasMore ? page + 1 : (false as const),
});

/** Trackers return all issue types at once, so this function filters them and picks the page. */
export function presentTypes(
  types: readonly IssueType[],
  { search = '', page, limit }: TrackerPageRequest & { readonly search?: string | undefined },
) {
  const matches = types.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
  const end = (page + 1) * limit;
  return {
    status: 'OK' as const,
    data: matches.slice(page * limit, end),
    total: matches.length,
    nextPage: end < matches.length ? page + 1 : (false as const),
  };
}

const CustomFieldWire = z.strictObject({
  fieldId: trackerId,
  value: z
    .unknown()
    .refine((value) => value !== undefined && JSON.stringify(value).length <= ISSUE_LIMITS.customFieldCharacters, {
      error: `is required, and may have at most ${ISSUE_LIMITS.customFieldCharacters} characters as JSON`,
    })
    .meta({ description: 'The value in the form that the tracker expects' }),
});
export const customFields = atMost(ISSUE_LIMITS.customFields, CustomFieldWire, 0)
  .optional()
  .meta({ description: 'Values of fields that the Jira project requires. Other trackers ignore them' });

const { projectId: _, ...targetInProject } = targetMembers;

export const NewIssue = z.strictObject({
  ...targetInProject,
  integrationId: inPath.integrationId,
  trackerProjectId: trackerId.meta({ description: 'Id of the tracker’s project, repository or team' }),
  issueTypeId: trackerId.optional().meta({ description: 'Id of an issue type. Jira requires it' }),
  title: targetMembers.title,
  issueTitle: text(ISSUE_LIMITS.titleCharacters)
    .optional()
    .meta({ description: 'Title of the issue. Default: the test and its error' }),
  customFields,
});
export type NewIssue = z.output<typeof NewIssue>;

export const linkMembers = {
  comment: text(ISSUE_LIMITS.commentCharacters).optional().meta({ description: 'A comment for the issue' }),
  includeContextInComment: z
    .boolean()
    .default(true)
    .meta({ description: 'Whether the comment describes the failure. `false` requires `comment`' }),
};

export const LinkedIssue = z.strictObject({
  ...targetInProject,
  integrationId: inPath.integrationId,
  issueKey: trackerId.meta({ description: 'Key or address of the issue, such as `SHOP-12` or `acme/shop#12`' }),
  ...linkMembers,
});
export type LinkedIssue = z.output<typeof LinkedIssue>;

export const KnownIssueWire = z
  .object({
    issueId: z.string().meta({ description: 'Id of the link between the test and the issue' }),
    integrationId: z.string(),
    kind: z.enum(TRACKER_KINDS),
    key: z.string(),
    url: z.string(),
    title: z.string(),
    state: z.enum(ISSUE_STATES),
    stateName: z.string().meta({ description: 'The state as the tracker calls it' }),
    signature: z.string().meta({ description: 'Signature of the test' }),
    spec: z.string(),
    testTitle: z.array(z.string()),
    errorFingerprint: z.string().nullable().meta({ description: 'The error that the issue is about' }),
    createdByRundown: z.boolean(),
    createdAt: dateTime,
    createdBy: z.string(),
    checkedAt: dateTime.meta({ description: 'When the state was last read from the tracker' }),
  })
  .meta({ id: 'KnownIssue' });
export type KnownIssueWire = z.infer<typeof KnownIssueWire>;

export const presentIssue = (issue: KnownIssue): KnownIssueWire => ({
  issueId: issue.issueId,
  integrationId: issue.integrationId,
  kind: issue.kind,
  key: issue.key,
  url: issue.url,
  title: issue.title,
  state: issue.state,
  stateName: issue.stateName,
  signature: issue.signature,
  spec: issue.spec,
  testTitle: [...issue.testTitle],
  errorFingerprint: issue.fingerprint ?? null,
  createdByRundown: issue.created,
  createdAt: formatIsoTime(issue.createdAt),
  createdBy: issue.createdBy,
  checkedAt: formatIsoTime(issue.checkedAt),
});
