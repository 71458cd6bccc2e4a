/** The breadcrumbs of a page below a run. */
import { linkToRun, linkToRuns } from '#shared/pages/shell/hrefs.ts';
import type { Breadcrumb } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

/** `name`: what the run is called. `below`: the pages between the run and the current page, and that page. */
export const makeRunBreadcrumbs = (
  visit: ProjectVisit,
  { runId, name }: { readonly runId: string; readonly name: string },
  ...below: readonly Breadcrumb[]
): Breadcrumb[] => [{ name: 'Runs', href: linkToRuns(visit) }, { name, href: linkToRun(visit, runId) }, ...below];
