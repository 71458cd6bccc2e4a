import { checkpoints } from '#shared/model/checkpoint.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { memberships } from '#shared/model/organizations/membership.ts';
import { allOrganizations, organizations } from '#shared/model/organizations/organization.ts';
import { personalTokens, tokensOfOrganization } from '#shared/model/organizations/personal-token.ts';
import { cleanUpTokens } from '#shared/organizations/clean-up-tokens.ts';
import { schedule } from '#shared/platform/schedule.ts';

export const handler = schedule({
  name: 'cleanUpTokens',
  expression: 'cron(0 3 * * ? *)',
  access: {
    table: 'readWrite',
    reads: [allOrganizations, organizations, memberships, tokensOfOrganization],
    writes: [personalTokens, auditRecords, checkpoints],
    artifacts: 'none',
  },
  summary: 'Revokes personal tokens whose owner left or whose organization was deactivated',
  timeoutSeconds: 300,
  retrySeconds: 3600,
  metrics: ['revoked'],
  handle: cleanUpTokens,
});
