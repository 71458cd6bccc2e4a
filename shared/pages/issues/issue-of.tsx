/** The test of a run that an issue is about. */
import type { Html } from '#shared/engine/html/html.ts';
import { HiddenFields } from '#shared/pages/design/fields.tsx';
import { linkToRuns, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import type { Breadcrumb } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

export interface IssueOf {
  readonly instanceId: string;
  readonly testId: string;
  readonly attempt: number | undefined;
  /** The title of the test. */
  readonly label: string;
}

export const TestOfIssue = ({ visit, of }: { readonly visit: ProjectVisit; readonly of: IssueOf }): Html => (
  <a href={linkToTestOfRun(visit, of)}>{of.label}</a>
);

export const makeIssueBreadcrumbs = (visit: ProjectVisit, of: IssueOf, name: string): Breadcrumb[] => [
  { name: 'Runs', href: linkToRuns(visit) },
  { name: of.label, href: linkToTestOfRun(visit, of) },
  { name },
];

export const HiddenTest = ({ of: { instanceId, testId, attempt } }: { readonly of: IssueOf }): Html => (
  <HiddenFields fields={{ instanceId, testId, attempt }} />
);
