/** Lists the issues that are linked to the tests of a project. */
import type { OffsetPage } from '#shared/analytics/metrics/offset-page.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { ISSUE_STATES, type IssueState, type KnownIssue } from '#shared/model/issues/known-issue.ts';
import { DataTable, wide } from '#shared/pages/design/data-table.tsx';
import { Ago, toSentenceCase } from '#shared/pages/design/format.tsx';
import { ISSUE_WORDS, IssueMark } from '#shared/pages/design/issue-mark.tsx';
import { EmptyState, PageHead, Tabs, TestName } from '#shared/pages/design/parts.tsx';
import { type Here, linkWithChanges } from '#shared/pages/shell/here.ts';
import { linkToRuns, linkToTest } from '#shared/pages/shell/hrefs.ts';
import { OffsetLinks } from '#shared/pages/shell/offset-links.tsx';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { RefusedForm } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import type { listUsableConnections } from './connections-of-visit.ts';
import { UnlinkButton } from './issues-of-test.tsx';
import { NoTracker } from './no-tracker.tsx';

interface Props {
  readonly at: Here & { readonly visit: ProjectVisit };
  readonly state: IssueState | undefined;
  readonly page: number;
  readonly issues: OffsetPage<KnownIssue>;
  readonly counts: Readonly<Record<IssueState, number>>;
  /** The connections that the project may use. Absent if it has issues. */
  readonly usable: Awaited<ReturnType<typeof listUsableConnections>> | undefined;
  readonly now: number;
  readonly refused: RefusedForm | undefined;
}

export const IssuesPage = ({ at, state, page, issues, counts, usable, now, refused }: Props): Html => {
  const all = ISSUE_STATES.reduce((sum, one) => sum + counts[one], 0);
  return (
    <>
      <PageHead title="Issues" meta="Issues in your tracker that are linked to tests of this project." />
      <RefusalMessage refused={refused} of="submitUnlinkIssue" title="The issue was not unlinked." />
      {usable?.connections.length === 0 && (
        <NoTracker visit={at.visit} hasOtherConnections={usable.hasOtherConnections} />
      )}
      {usable && usable.connections.length > 0 && (
        <EmptyState icon="circle-dot" title="No issues yet">
          <p>
            Issues appear here after somebody chooses Create issue or Link issue on the page of a failed test. The pages
            that show the test then show the issue, too.
          </p>
          <a class="button quiet" href={linkToRuns(at.visit, { 'status[]': 'FAILED' })}>
            Failed runs
          </a>
        </EmptyState>
      )}
      {all > 0 && (
        <>
          <Tabs
            label="States"
            tabs={[
              {
                name: 'All',
                href: linkWithChanges(at, { state: undefined }),
                isCurrent: state === undefined,
                count: all,
              },
              ...ISSUE_STATES.map((one) => ({
                name: toSentenceCase(ISSUE_WORDS[one]),
                href: linkWithChanges(at, { state: one }),
                isCurrent: one === state,
                count: counts[one],
              })),
            ]}
          />
          {issues.list.length === 0 ? (
            <EmptyState icon="circle-dot" title={`No issue is ${ISSUE_WORDS[state ?? 'open']}`} />
          ) : (
            <DataTable
              label="Issues"
              caption="Most recently linked first"
              columns={['Test', 'Issue', ...wide('Linked', 'Test last seen failing'), 'Unlink']}
            >
              {issues.list.map((issue) => (
                <IssueRow at={at} issue={issue} now={now} />
              ))}
            </DataTable>
          )}
        </>
      )}
      <OffsetLinks at={at} page={page} shown={issues.list.length} {...issues} />
    </>
  );
};

const IssueRow = ({ at: { visit }, issue, now }: Pick<Props, 'at' | 'now'> & { readonly issue: KnownIssue }): Html => (
  <tr>
    <th scope="row">
      <TestName href={linkToTest(visit, issue.signature)} title={issue.testTitle} />
      <small>
        <code>{issue.spec}</code>
      </small>
    </th>
    <td>
      <IssueMark issue={issue} />
      <br />
      <small>{makeVisibleLine(issue.title)}</small>
    </td>
    <td class="wide">
      <Ago at={issue.createdAt} now={now} />
    </td>
    <td class="wide">{issue.seenAt === 0 ? '–' : <Ago at={issue.seenAt} now={now} />}</td>
    <td>
      <UnlinkButton visit={visit} issue={issue} from="list" />
    </td>
  </tr>
);
