/** What models read about arguments: in the description of a tool, and in the refusal of an unknown id. */
import { normalizeSpelling } from './argument-values.ts';

/**
 * Replaces the description of the parameter of this name in all tools. A model pays for each word in every conversation,
 * so an empty text stands for a name that says enough.
 */
export const ARGUMENT_TEXTS: Readonly<Record<string, string>> = {
  projectId: '',
  runId: 'From list_runs or find_run',
  instanceId: 'From get_run, get_context or get_test_results',
  integrationId: 'From list_integrations',
  signature: 'From get_context, list_tests, list_flaky_tests or get_test_signature',
  hookId: 'From list_webhooks',
  starting_after: 'From the last response',
  page: 'From 0',
  limit: '',
  dir: '',
  groups: '',
  environments: '',
  authors: 'By name or email',
  branches: 'Names, or prefixes with a trailing `*`',
  date_start: 'Inclusive',
  date_end: 'Exclusive',
  detail: '`compact` omits steps and shortens texts. `summary` keeps only errors and ids. `default`: everything',
  error_message: 'Text of an error, also as copied from an answer. Ignores case',
};

/**
 * What to do if this kind of thing was not found, or was refused. The kinds are those of `notFound` in
 * `engine/errors.ts`, and the parts of a rule.
 */
const REMEDIES: Readonly<Record<string, string>> = {
  Project: 'Pass a `projectId` from list_projects, not a name',
  Run: 'Pass a `runId` from list_runs. For the id of a CI build call find_run with `ciBuildId`, and for a commit, branch or text call search_project',
  Instance: 'Pass an `instanceId` from get_run, or from get_context with the id of the run',
  Test: 'Pass a `testId` of this instance: get_instance lists them, and get_context of the run names those of failed tests. A title or signature is not a `testId`',
  'Test record':
    'Pass a `signature` from list_tests or search_project. For a title and a spec file call get_test_signature',
  Action: 'Pass an `actionId` from list_actions',
  Effects: 'Pass in `action` what the rule does, such as `[{"op":"quarantine"}]`',
  Matcher:
    'Pass in `matcher` the conditions that a test must meet, such as `{"op":"AND","cond":[{"type":"file","op":"eq","value":"cart.spec.ts"}]}`',
  Webhook: 'Pass a `hookId` from list_webhooks',
  Delivery: 'Pass a `deliveryId` from list_deliveries',
  Integration: 'Pass an `integrationId` from list_integrations',
  'Tracker project': 'Pass a `trackerProjectId` from list_tracker_projects',
  'Pull request': 'Pass a number from list_pull_requests',
  'Run named by `base_run_id`': 'Pass a `runId` of the same project from list_runs, or leave `base_run_id` out',
};

/** The kind of thing that the argument of this normalized name identifies or describes. */
const KINDS: Readonly<Record<string, string>> = {
  projectid: 'Project',
  runid: 'Run',
  instanceid: 'Instance',
  testid: 'Test',
  signature: 'Test record',
  actionid: 'Action',
  action: 'Effects',
  matcher: 'Matcher',
  hookid: 'Webhook',
  deliveryid: 'Delivery',
  integrationid: 'Integration',
  trackerprojectid: 'Tracker project',
};

export const findKind = (argument: string): string | undefined => KINDS[normalizeSpelling(argument)];

export const findRemedy = (kind: string | undefined): string | undefined =>
  kind === undefined ? undefined : REMEDIES[kind];
