/** §5.2, §5.3 The meaning of each scope, for people who grant it on the consent page or read the OpenAPI document. */
import type { Scope } from '#shared/model/organizations/permissions.ts';

export const SCOPE_MEANINGS: Readonly<Record<Scope, string>> = {
  'projects:read': 'See which projects exist, with their settings, tags, branches and authors',
  'projects:write': 'Create, change, delete and restore projects',
  'results:read': 'See runs, spec files, test results and failure evidence',
  'analytics:read': 'See aggregate metrics: insights, error counts, performance, flake and failure rates',
  'actions:read': 'See quarantine, skip and tag rules, and the tests they affected',
  'actions:write': 'Create, change, enable, disable and archive quarantine, skip and tag rules',
  'issues:write': 'Create issues in a connected issue tracker, and link issues to tests or unlink them',
  'runs:write': 'Cancel and reset runs, and delete runs and their files for good',
  'webhooks:read': 'See webhooks with their URLs and headers',
  'webhooks:write': 'Create, change and delete webhooks',
  'shares:write': 'Create, list and revoke links through which anyone can see test results until the links expire',
};
