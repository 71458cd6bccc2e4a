/** Operations that read an organization, each with its action and its refusal, written by hand from §5. */

import { listInvitations } from '#shared/organizations/invitations.ts';
import { listApiKeys } from '#shared/organizations/list-api-keys.ts';
import { listPersonalTokens } from '#shared/organizations/list-personal-tokens.ts';
import { listMembers } from '#shared/organizations/members.ts';
import { listOrganizationProjects } from '#shared/organizations/organization-projects.ts';
import { readProjectSettings } from '#shared/organizations/project-settings.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { readUsage } from '#shared/usage/read-usage.ts';
import { ADMIN_ONLY, NEVER_REFUSED, on, services, type Verb } from './verbs.ts';

export const READS: readonly Verb[] = [
  {
    name: 'listing members',
    action: 'members:list',
    refusal: NEVER_REFUSED,
    act: (cast, actor) => listMembers(services(cast), on(cast, actor)),
  },
  {
    name: 'listing invitations',
    action: 'invitations:list',
    refusal: ADMIN_ONLY,
    act: (cast, actor) => listInvitations(services(cast), on(cast, actor)),
  },
  {
    name: 'listing projects',
    action: 'projects:read',
    refusal: NEVER_REFUSED,
    act: (cast, actor) => listOrganizationProjects(services(cast), on(cast, actor)),
  },
  {
    name: 'reading project settings',
    action: 'projects:read',
    refusal: NEVER_REFUSED,
    act: (cast, actor) => readProjectSettings(services(cast), { ...on(cast, actor), projectId: cast.projectId }),
  },
  {
    name: 'listing API keys',
    action: 'apiKeys:list',
    refusal: 'Your role in the organization does not allow this. Ask an Admin for another role',
    act: (cast, actor) => listApiKeys(services(cast), on(cast, actor)),
  },
  {
    name: 'listing tokens',
    action: 'tokens:list',
    refusal: NEVER_REFUSED,
    act: (cast, actor) => listPersonalTokens(services(cast), on(cast, actor)),
  },
  {
    name: 'reading the usage',
    action: 'usage:read',
    refusal: 'Your role in the organization does not allow this. Ask an Admin for another role',
    act: (cast, actor) => readUsage(services(cast), on(cast, actor)),
  },
  {
    name: 'reading audit records',
    action: 'audit:read',
    refusal: ADMIN_ONLY,
    act: (cast, actor) => readAudit(services(cast), on(cast, actor)),
  },
];
