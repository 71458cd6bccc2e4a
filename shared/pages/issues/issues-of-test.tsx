/** The known issues of a test, and the links to create or link one. */
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { PostButton } from '#shared/pages/design/fields.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { IssueMark } from '#shared/pages/design/issue-mark.tsx';
import { Panel } from '#shared/pages/design/parts.tsx';
import { linkToIssueForm, linkToIssues } from '#shared/pages/shell/hrefs.ts';
import { mayAdd } from '#shared/pages/shell/may-add.ts';
import type { IssueMark as Mark } from '#shared/results/failures/known-issue-wire.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly issues: readonly Mark[] | undefined;
}

/** Renders nothing if the test has no issue. */
export const IssuesOfTest = ({ visit, issues = [] }: Props): Html =>
  issues.length === 0 ? (
    <></>
  ) : (
    <Panel title="Known issues" actions={<a href={linkToIssues(visit)}>All issues</a>} isFlush>
      <ul class="rows">
        {issues.map((issue) => (
          <li>
            <div class="grow">
              <IssueMark issue={issue} />
              <br />
              <small>{makeVisibleLine(issue.title)}</small>
            </div>
            <UnlinkButton visit={visit} issue={issue} from="test" />
          </li>
        ))}
      </ul>
    </Panel>
  );

interface UnlinkProps {
  readonly visit: ProjectVisit;
  readonly issue: Pick<Mark, 'issueId' | 'key'>;
  readonly from: 'list' | 'test';
}

/** Asks for no confirmation, because the issue can be linked again. */
export const UnlinkButton = ({ visit, issue: { issueId, key }, from }: UnlinkProps): Html =>
  may(visit.person, 'issues:write') ? (
    <PostButton
      action={linkToIssueForm(visit, [issueId, 'unlink'])}
      fields={{ from }}
      class="quiet small"
      label={`Unlink ${makeVisibleLine(key)}`}
    >
      Unlink
    </PostButton>
  ) : (
    <></>
  );

interface ActionProps {
  readonly visit: ProjectVisit;
  readonly of: { readonly instanceId: string; readonly testId: string; readonly attempt?: number | undefined };
}

/** Entries of a menu. Renders nothing for roles that may not create issues. */
export function IssueActions({ visit, of: { instanceId, testId, attempt } }: ActionProps): Html {
  if (!mayAdd(visit, 'issues:write')) return <></>;
  const query = { instance_id: instanceId, test_id: testId, attempt };
  return (
    <>
      <a href={linkToIssueForm(visit, ['new'], query)}>
        <Icon name="circle-dot" />
        Create issue…
      </a>
      <a href={linkToIssueForm(visit, ['link'], query)}>
        <Icon name="link" />
        Link issue…
      </a>
    </>
  );
}
