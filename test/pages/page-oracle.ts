/** Who may open each page or send each form, written by hand from §5. A new page has no row, and so fails a test. */
import type { Role } from '#shared/model/membership.ts';

const EVERYONE: readonly Role[] = ['admin', 'actionsAdmin', 'member', 'guest'];
const MEMBERS: readonly Role[] = ['admin', 'actionsAdmin', 'member'];

export const MAY_OPEN: Readonly<Record<string, readonly Role[]>> = {
  showProjects: EVERYONE,
  showRuns: EVERYONE,
  showRun: EVERYONE,
  showRunLive: EVERYONE,
  getRunContext: EVERYONE,
  showInstance: EVERYONE,
  showTestOfRun: EVERYONE,
  getTestContext: EVERYONE,
  getFile: EVERYONE,
  showTest: EVERYONE,
  showDeleteRun: MEMBERS,
  submitDeleteRun: MEMBERS,
  submitCancelRun: MEMBERS,
};
