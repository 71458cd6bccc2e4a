/** The breadcrumbs of a page below a run. */
import type { Run } from '#shared/model/runs/run.ts';
import { formatRunName } from '#shared/pages/design/run-name.ts';
import { getCommitTitle } from '#shared/pages/shell/commit-names.ts';
import { linkToRun, linkToRuns } from '#shared/pages/shell/hrefs.ts';
import type { Breadcrumb } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

/** `name`: what the run is called. `below`: the pages between the run and the current page, and that page. */
export const makeRunBreadcrumbs = (
  visit: ProjectVisit,
  { runId, name }: { readonly runId: string; readonly name: string },
  ...below: readonly Breadcrumb[]
): Breadcrumb[] => [{ name: 'Runs', href: linkToRuns(visit) }, { name, href: linkToRun(visit, runId) }, ...below];

/** What its own page calls the run. */
export const nameStoredRun = ({ commit, ciBuildId }: Pick<Run, 'commit' | 'ciBuildId'>): string =>
  formatRunName({ title: getCommitTitle(commit) ?? null, ciBuildId, branch: commit.branch ?? null });
