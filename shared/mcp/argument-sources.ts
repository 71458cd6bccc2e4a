/** Where a model gets the value of an argument: part of the tool's description, and of the refusal of an unknown id. */
export const ARGUMENT_SOURCES: Readonly<Record<string, string>> = {
  projectId: 'From list_projects',
  runId: 'From list_runs or find_run',
  instanceId: 'From get_run, get_context or get_test_results',
  signature: 'From get_context, list_tests, list_flaky_tests or get_test_signature',
  hookId: 'From list_webhooks',
  starting_after: 'The `starting_after` of the last response, for the next page',
};

/** What to do if this kind of thing was not found. The kinds are those of `notFound` in `engine/errors.ts`. */
const REMEDIES: Readonly<Record<string, string>> = {
  Project: 'Pass a `projectId` from list_projects, not a name',
  Run: 'Pass a `runId` from list_runs. For the id of a CI build call find_run with `ciBuildId`, and for a commit, branch or text call search_project',
  Instance: 'Pass an `instanceId` from get_run, or from get_context with the id of the run',
  Test: 'Pass a `testId` of this instance: get_instance lists them, and get_context of the run names those of failed tests. A title or signature is not a `testId`',
  'Test record': 'Pass a `signature` from list_tests or search_project. For a title and a spec file call get_test_signature',
  Action: 'Pass an `actionId` from list_actions',
  Webhook: 'Pass a `hookId` from list_webhooks',
  Delivery: 'Pass a `deliveryId` from list_deliveries',
  Integration: 'Pass an `integrationId` from list_integrations',
  'Pull request': 'Pass a number from list_pull_requests',
  'Run named by `base_run_id`': 'Pass a `runId` of the same project from list_runs, or leave `base_run_id` out',
};

export const findRemedy = (missing: string | undefined): string | undefined =>
  missing === undefined ? undefined : REMEDIES[missing];
