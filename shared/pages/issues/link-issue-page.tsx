/** Links an existing issue to a test. */
import type { Html } from '#shared/engine/html/html.ts';
import { ISSUE_LIMITS } from '#shared/issues/limits.ts';
import type { Integration } from '#shared/model/issues/integration.ts';
import { TRACKERS } from '#shared/model/issues/tracker-kind.ts';
import { CheckField, SelectField, TextArea, TextField } from '#shared/pages/design/fields.tsx';
import { PageHead } from '#shared/pages/design/parts.tsx';
import { readFormEntries } from '#shared/pages/shell/form-entries.ts';
import { linkToIssueForm, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { HiddenTest, type IssueOf, TestOfIssue } from './issue-of.tsx';
import { NoTracker } from './no-tracker.tsx';

interface Props extends WithForms<ProjectVisit> {
  readonly of: IssueOf;
  readonly connections: readonly Integration[];
  readonly hasOtherConnections: boolean;
}

const OF = 'submitLinkIssue';

export const LinkIssuePage = ({ visit, of, connections, hasOtherConnections, refused }: Props): Html => {
  const { field, sent, box } = readFormEntries(refused, OF);
  const [first, ...others] = connections;
  const isOnly = others.length === 0;
  return (
    <>
      <PageHead title="Link an issue" meta={<TestOfIssue visit={visit} of={of} />} />
      {first ? (
        <form method="post" action={linkToIssueForm(visit, ['link'])}>
          <RefusalMessage refused={refused} of={OF} title="The issue was not linked." />
          <HiddenTest of={of} />
          {isOnly ? (
            <input type="hidden" name="integrationId" value={first.integrationId} />
          ) : (
            <SelectField
              label="Tracker"
              name="integrationId"
              value={sent('integrationId')}
              options={connections.map(({ integrationId, name }) => ({ value: integrationId, label: name }))}
            />
          )}
          <TextField
            label="Issue"
            {...field('issueKey')}
            maxlength={ISSUE_LIMITS.trackerIdCharacters}
            hint={`Its key or address, such as ${TRACKERS[first.kind].key}${isOnly ? ` in ${first.name}` : ''}`}
            required
          />
          <TextArea
            label="Comment"
            {...field('comment')}
            value={sent('comment') ?? ''}
            rows={3}
            hint="Optional if the failure is included. Rundown adds the comment to the issue, with a link to this test"
          />
          <CheckField label="Include the failure in the comment" {...box('includeFailure', true)} />
          <div class="actions">
            <button type="submit">Link the issue</button>
            <a href={linkToTestOfRun(visit, of)}>Cancel</a>
          </div>
        </form>
      ) : (
        <NoTracker visit={visit} hasOtherConnections={hasOtherConnections} />
      )}
    </>
  );
};
