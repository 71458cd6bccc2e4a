/** Creates an issue for a failed test. Asks for the tracker's project and the type, and shows the text of the issue. */
import type { Html } from '#shared/engine/html/html.ts';
import { ISSUE_LIMITS } from '#shared/issues/limits.ts';
import type { TextBlock } from '#shared/issues/text/blocks.ts';
import type { Integration } from '#shared/model/issues/integration.ts';
import type { KnownIssue } from '#shared/model/issues/known-issue.ts';
import { TRACKERS } from '#shared/model/issues/tracker-kind.ts';
import { HiddenFields, TextField } from '#shared/pages/design/fields.tsx';
import { IssueMark } from '#shared/pages/design/issue-mark.tsx';
import { Notice, PageHead, Panel, Tabs } from '#shared/pages/design/parts.tsx';
import { linkToIssueForm } from '#shared/pages/shell/hrefs.ts';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import type { ChosenConnection } from './chosen-connection.ts';
import { type IssueOf, TestOfIssue } from './issue-of.tsx';
import { IssueText } from './issue-text.tsx';
import { IssueForm } from './new-issue-form.tsx';
import { NoTracker } from './no-tracker.tsx';
import { PlaceField } from './place-field.tsx';

interface Props extends WithForms<ProjectVisit> {
  readonly of: IssueOf;
  readonly title: string;
  readonly text: readonly TextBlock[];
  /** The open issue of the same failure. */
  readonly existing: KnownIssue | undefined;
  readonly connections: readonly Integration[];
  /** Whether the organization has connections that this project may not use. */
  readonly hasOtherConnections: boolean;
  readonly chosen: ChosenConnection | undefined;
  readonly trackerProjectId: string | undefined;
  readonly search: string | undefined;
}

export const NewIssuePage = (props: Props): Html => {
  const { visit, of, text, existing, connections, hasOtherConnections, chosen } = props;
  return (
    <>
      <PageHead title="Create an issue" meta={<TestOfIssue visit={visit} of={of} />} />
      {connections.length === 0 ? (
        <NoTracker visit={visit} hasOtherConnections={hasOtherConnections} />
      ) : (
        <>
          {existing && (
            <Notice>
              This failure already has an issue: <IssueMark issue={existing} />. While that issue is open, Rundown does
              not create a second one.
            </Notice>
          )}
          {connections.length > 1 && <Connections {...props} />}
          {chosen && <Steps {...props} chosen={chosen} />}
          <div class="reading">
            <Panel title="Text of the issue" note="Secrets are masked.">
              <IssueText text={text} />
            </Panel>
          </div>
        </>
      )}
    </>
  );
};

const buildPageQuery = ({ instanceId, testId, attempt }: IssueOf, integrationId: string) => ({
  instance_id: instanceId,
  test_id: testId,
  attempt,
  integration_id: integrationId,
});

const Connections = ({ visit, of, connections, chosen }: Props): Html => (
  <>
    {!chosen && <p>Choose a tracker:</p>}
    <Tabs
      label="Connections"
      tabs={connections.map(({ integrationId, name }) => ({
        name,
        href: linkToIssueForm(visit, ['new'], buildPageQuery(of, integrationId)),
        isCurrent: chosen?.integration.integrationId === integrationId,
      }))}
    />
  </>
);

type StepProps = Props & { readonly chosen: ChosenConnection };

/** If each project of the tracker has its own types of issues, the project is chosen first, in a form of its own. */
function Steps(props: StepProps): Html {
  const { chosen, search, trackerProjectId } = props;
  const choosesPlaceFirst = TRACKERS[chosen.integration.kind].needsType === true;
  const isSearched = chosen.places.hasMore || search !== undefined;
  const hasPlace = trackerProjectId !== undefined;
  return (
    <>
      {(choosesPlaceFirst || isSearched) && (
        <PlaceForm {...props} choosesPlace={choosesPlaceFirst} isSearched={isSearched} />
      )}
      {(!choosesPlaceFirst || hasPlace) && <IssueForm {...props} asksForPlace={!choosesPlaceFirst} />}
    </>
  );
}

interface PlaceFormProps extends StepProps {
  readonly choosesPlace: boolean;
  readonly isSearched: boolean;
}

/** A GET form that searches the tracker's projects. With `choosesPlace`, people also choose one for the next step. */
const PlaceForm = ({ visit, of, chosen, search, trackerProjectId, choosesPlace, isSearched }: PlaceFormProps): Html => {
  const { place } = TRACKERS[chosen.integration.kind];
  return (
    <form class="filters" method="get" action={linkToIssueForm(visit, ['new'])}>
      <HiddenFields fields={buildPageQuery(of, chosen.integration.integrationId)} />
      {isSearched && (
        <TextField
          label={`Find a ${place}`}
          name="search"
          type="search"
          value={search}
          maxlength={ISSUE_LIMITS.searchCharacters}
          hint={`Listed: ${chosen.places.list.length}. Enter part of a name to find others`}
        />
      )}
      {choosesPlace && <PlaceField chosen={chosen} name="tracker_project_id" value={trackerProjectId} />}
      <button type="submit" class={trackerProjectId === undefined && choosesPlace ? undefined : 'quiet'}>
        {choosesPlace ? 'Continue' : 'Search'}
      </button>
    </form>
  );
};
