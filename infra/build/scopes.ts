/** §5.2, §5.3 The meaning of each scope, for people who grant it. */
import type { SCOPES } from '#shared/model/permissions.ts';

export const SCOPE_MEANINGS: Readonly<Record<(typeof SCOPES)[number], string>> = {
  'projects:read': 'See which projects exist, their settings, tags, branches and authors',
  'projects:write': 'Change the configuration of projects',
  'results:read': 'See runs, spec files, test results and the evidence of failures',
  'analytics:read': 'See failure and flake rates, durations and trends',
  'actions:read': 'See the rules that quarantine, skip and tag tests, and what they affected',
  'actions:write': 'Create, change and archive those rules',
  'issues:write': 'Create and link issues in a connected issue tracker',
  'runs:write': 'Cancel and reset runs; delete runs and their files for good',
  'webhooks:read': 'See webhooks with their destinations and headers',
  'webhooks:write': 'Create, change and delete webhooks',
  'shares:write': 'Create links that show test results to everyone who has them',
};
