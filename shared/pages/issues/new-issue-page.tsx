/** Creates an issue for a failed test. Asks for the tracker's project and the type, and shows the text of the issue. */
import type { Html } from '#shared/engine/html/html.ts';
import { ISSUE_LIMITS } from '#shared/issues/limits.ts';
import type { TextBlock } from '#shared/issues/text/blocks.ts';
import type { IssueType, TrackerProject } from '#shared/issues/trackers/tracker.ts';
import type { Integration } from '#shared/model/issues/integration.ts';
import type { KnownIssue } from '#shared/model/issues/known-issue.ts';
import { TRACKERS } from '#shared/model/issues/tracker-kind.ts';
import { HiddenFields, SelectField, TextField } from '#shared/pages/design/fields.tsx';
import { toSentenceCase } from '#shared/pages/design/format.tsx';
import { IssueMark } from '#shared/pages/design/issue-mark.tsx';
import { FormActions, Notice, PageHead, Panel, Tabs } from '#shared/pages/design/parts.tsx';
import { readFormEntries } from '#shared/pages/shell/form-entries.ts';
import { linkToIssueForm, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { findSentValue, RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { listSentFieldIds, makeTypeName, makeValueName, parseRequiredFields } from './issue-form-wire.ts';
import { type IssueOf, TestOfIssue } from './issue-of.tsx';
import { IssueText } from './issue-text.tsx';
import { NoTracker } from './no-tracker.tsx';

/** The choices that a tracker offers, or why it did not list them. */
interface OfferedChoices<One> {
  readonly list: readonly One[];
  readonly problem?: string;
}

export interface ChosenConnection {
  readonly integration: Integration;
  /** The tracker's projects that match the search. `hasMore`: whether the list contains only the first of them. */
  readonly places: OfferedChoices<TrackerProject> & { readonly hasMore: boolean };
  /** The types of issues in the chosen project. `undefined` if no project is chosen, or if the tracker has no types. */
  readonly types: OfferedChoices<IssueType> | undefined;
}

interface Props extends WithForms<ProjectVisit> {
  readonly of: IssueOf;
  readonly title: string;
  readonly text: readonly TextBlock[];
  /** The open issue of the same failure. */
  readonly existing: KnownIssue | undefined;
  readonly connections: readonly Integration[];
  readonly hasOthers: boolean;
  readonly chosen: ChosenConnection | undefined;
  readonly trackerProjectId: string | undefined;
  readonly search: string | undefined;
}

const OF = 'submitNewIssue';

export const NewIssuePage = (props: Props): Html => {
  const { visit, of, text, existing, connections, hasOthers, chosen } = props;
  return (
    <>
      <PageHead title="Create an issue" meta={<TestOfIssue visit={visit} of={of} />} />
      {connections.length === 0 ? (
        <NoTracker visit={visit} hasOthers={hasOthers} />
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

/** If each project has its own types of issues, the project is chosen first. */
function Steps(props: StepProps): Html {
  const { chosen, search, trackerProjectId } = props;
  const isFirst = TRACKERS[chosen.integration.kind].needsType === true;
  const isSearched = chosen.places.hasMore || search !== undefined;
  return (
    <>
      {(isFirst || isSearched) && <Choice {...props} asksForPlace={isFirst} isSearched={isSearched} />}
      {(!isFirst || trackerProjectId !== undefined) && <NewIssueForm {...props} asksForPlace={!isFirst} />}
    </>
  );
}

interface ChoiceProps extends StepProps {
  readonly asksForPlace: boolean;
  readonly isSearched: boolean;
}

/** A GET form that searches the tracker's projects, and lets people choose one if the next step depends on it. */
const Choice = ({ visit, of, chosen, search, trackerProjectId, asksForPlace, isSearched }: ChoiceProps): Html => {
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
      {asksForPlace && <PlaceField chosen={chosen} name="tracker_project_id" value={trackerProjectId} />}
      <button type="submit" class={trackerProjectId === undefined && asksForPlace ? undefined : 'quiet'}>
        {asksForPlace ? 'Continue' : 'Search'}
      </button>
    </form>
  );
};

interface FieldProps {
  readonly name: string;
  readonly value: string | undefined;
  readonly problem?: string | undefined;
}

interface PlaceProps extends FieldProps {
  readonly chosen: ChosenConnection;
}

/** A choice of the tracker's projects, or a text field if the tracker does not list them. */
function PlaceField({ chosen: { integration, places }, value, ...field }: PlaceProps): Html {
  const { place, places: plural, name: short, placeId } = TRACKERS[integration.kind];
  const label = toSentenceCase(place);
  if (places.problem !== undefined)
    return (
      <TextField
        {...field}
        label={label}
        value={value}
        maxlength={ISSUE_LIMITS.trackerIdCharacters}
        hint={`${short} did not return a list of ${plural}, so enter ${placeId}. ${places.problem}`}
        required
      />
    );
  const options = places.list.map(({ id, key, name: placeName }) => ({
    value: id,
    label: key === placeName ? placeName : `${placeName} (${key})`,
  }));
  const isUnlisted = value !== undefined && options.every((one) => one.value !== value);
  return (
    <SelectField
      {...field}
      label={label}
      value={value}
      options={isUnlisted ? [{ value, label: value }, ...options] : options}
    />
  );
}

const NewIssueForm = ({
  visit,
  of,
  chosen,
  title,
  trackerProjectId,
  asksForPlace,
  refused,
}: Omit<ChoiceProps, 'isSearched'>): Html => {
  const { name: short } = TRACKERS[chosen.integration.kind];
  const { field, sent } = readFormEntries(refused, OF);
  return (
    <form method="post" action={linkToIssueForm(visit, ['new'])}>
      <RefusalMessage refused={refused} of={OF} title="The issue was not created." />
      <HiddenTest of={of} />
      <input type="hidden" name="integrationId" value={chosen.integration.integrationId} />
      {asksForPlace ? (
        <PlaceField
          chosen={chosen}
          {...field('trackerProjectId')}
          value={sent('trackerProjectId') || trackerProjectId}
        />
      ) : (
        <input type="hidden" name="trackerProjectId" value={trackerProjectId ?? ''} />
      )}
      {chosen.types && <TypeField types={chosen.types} short={short} {...field('issueTypeId')} />}
      <TextField label="Title" {...field('issueTitle', title)} maxlength={ISSUE_LIMITS.titleCharacters} />
      <RequiredFields refused={refused} short={short} />
      <FormActions cancelHref={linkToTestOfRun(visit, of)}>
        <button type="submit">Create the issue in {short}</button>
      </FormActions>
    </form>
  );
};

export const HiddenTest = ({ of: { instanceId, testId, attempt } }: { readonly of: IssueOf }): Html => (
  <HiddenFields fields={{ instanceId, testId, attempt }} />
);

interface TypeProps extends FieldProps {
  readonly types: OfferedChoices<IssueType>;
  readonly short: string;
}

const TypeField = ({ types, short, value, ...field }: TypeProps): Html =>
  types.problem === undefined ? (
    <SelectField
      {...field}
      label="Type"
      value={value ?? types.list.find(({ name }) => name === 'Bug')?.id}
      options={types.list.map(({ id, name }) => ({ value: id, label: name }))}
    />
  ) : (
    <TextField
      {...field}
      label="Type"
      value={value ?? 'Bug'}
      maxlength={ISSUE_LIMITS.trackerIdCharacters}
      hint={`${short} did not return a list of issue types, so enter one. ${types.problem}`}
      required
    />
  );

/** An input for each field that the tracker requires. Values that it has accepted are kept in hidden inputs. */
function RequiredFields({ refused, short }: Pick<Props, 'refused'> & { readonly short: string }): Html {
  if (refused?.operationId !== OF) return <></>;
  const fields = parseRequiredFields(refused.body);
  const acceptedIds = listSentFieldIds(refused.values).filter((id) => fields.every(({ fieldId }) => fieldId !== id));
  const getSent = (name: string) => findSentValue(refused, OF, name);
  return (
    <>
      {acceptedIds.map((fieldId) => (
        <>
          <input type="hidden" name={makeValueName(fieldId)} value={getSent(makeValueName(fieldId)) ?? ''} />
          <input type="hidden" name={makeTypeName(fieldId)} value={getSent(makeTypeName(fieldId)) ?? ''} />
        </>
      ))}
      {fields.map(({ fieldId, name: label, type, options }) => {
        const name = makeValueName(fieldId);
        const field = { label, name, value: getSent(name), hint: `${short} requires this field` };
        return (
          <>
            <input type="hidden" name={makeTypeName(fieldId)} value={type} />
            {options.length > 0 ? (
              <SelectField {...field} options={options.map((one) => ({ value: one.id, label: one.name }))} />
            ) : (
              <TextField {...field} maxlength={ISSUE_LIMITS.customFieldCharacters} required />
            )}
          </>
        );
      })}
    </>
  );
}
