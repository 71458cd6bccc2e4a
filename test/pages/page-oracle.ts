/** The roles of each page and form, written by hand from §5. A test fails for a new page without a row. */
import type { Role } from '#shared/model/membership.ts';

const EVERYONE: readonly Role[] = ['admin', 'actionsAdmin', 'member', 'guest'];
const MEMBERS: readonly Role[] = ['admin', 'actionsAdmin', 'member'];
const ADMINS: readonly Role[] = ['admin'];

export const MAY_OPEN: Readonly<Record<string, readonly Role[]>> = {
  showProjects: EVERYONE,
  showProject: EVERYONE,
  showRuns: EVERYONE,
  showRun: EVERYONE,
  showRunLive: EVERYONE,
  getRunContext: EVERYONE,
  showInstance: EVERYONE,
  showTestOfRun: EVERYONE,
  getTestContext: EVERYONE,
  getFile: EVERYONE,
  showTest: EVERYONE,
  showNewProject: ADMINS,
  submitNewProject: ADMINS,
  showProjectSettings: EVERYONE,
  submitProjectSettings: ADMINS,
  showMembers: EVERYONE,
  showApiKeys: MEMBERS,
  showNewApiKey: ADMINS,
  submitNewApiKey: ADMINS,
  showRevokeApiKey: ADMINS,
  submitRevokeApiKey: ADMINS,
  showTokens: ADMINS,
  showRevokeToken: EVERYONE,
  submitRevokeToken: EVERYONE,
  showAudit: ADMINS,
  showNothing: EVERYONE,
  showDeleteRun: MEMBERS,
  submitDeleteRun: MEMBERS,
  submitCancelRun: MEMBERS,
};
