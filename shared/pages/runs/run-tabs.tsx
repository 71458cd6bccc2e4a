/** The pages of a run. */
import type { Html } from '#shared/engine/html/html.ts';
import { Tabs } from '#shared/pages/design/parts.tsx';
import { linkToRun, linkToRunPage } from '#shared/pages/shell/hrefs.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly run: { readonly runId: string };
  readonly current: 'failures' | 'tests' | 'timeline';
}

export const RunTabs = ({ visit, run: { runId }, current }: Props): Html => (
  <Tabs
    label="Pages of the run"
    tabs={[
      { name: 'Overview', href: linkToRun(visit, runId), isCurrent: current === 'failures' },
      { name: 'All tests', href: linkToRunPage(visit, runId, 'tests'), isCurrent: current === 'tests' },
      { name: 'Timeline', href: linkToRunPage(visit, runId, 'timeline'), isCurrent: current === 'timeline' },
    ]}
  />
);
