/** The form that creates an issue in a tracker: where, its type and title, and the fields that the tracker requires. */
import type { Html } from '#shared/engine/html/html.ts';
import { ISSUE_LIMITS } from '#shared/issues/limits.ts';
import type { IssueType } from '#shared/issues/trackers/tracker.ts';
import { TRACKERS } from '#shared/model/issues/tracker-kind.ts';
import { SelectField, TextField } from '#shared/pages/design/fields.tsx';
import { FormActions } from '#shared/pages/design/parts.tsx';
import { readFormEntries } from '#shared/pages/shell/form-entries.ts';
import { linkToIssueForm, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { findSentValue, RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import type { ChosenConnection, OfferedChoices } from './chosen-connection.ts';
import { listSentFieldIds, makeTypeName, makeValueName, parseRequiredFields } from './issue-form-wire.ts';
import { HiddenTest, type IssueOf } from './issue-of.tsx';
import { PlaceField } from './place-field.tsx';

const FORM = 'submitNewIssue';

interface Props extends WithForms<ProjectVisit> {
  readonly of: IssueOf;
  /** The suggested title of the issue. */
  readonly title: string;
  readonly chosen: ChosenConnection;
  readonly trackerProjectId: string | undefined;
  /** Whether the form asks for the project of the tracker. Otherwise it was chosen before. */
  readonly asksForPlace: boolean;
}

export const IssueForm = ({ visit, of, chosen, title, trackerProjectId, asksForPlace, refused }: Props): Html => {
  const { name: trackerName } = TRACKERS[chosen.integration.kind];
  const { field, sent } = readFormEntries(refused, FORM);
  return (
    <form method="post" action={linkToIssueForm(visit, ['new'])}>
      <RefusalMessage refused={refused} of={FORM} title="The issue was not created." />
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
      {chosen.types && <TypeField types={chosen.types} trackerName={trackerName} {...field('issueTypeId')} />}
      <TextField label="Title" {...field('issueTitle', title)} maxlength={ISSUE_LIMITS.titleCharacters} />
      <RequiredFields refused={refused} trackerName={trackerName} />
      <FormActions cancelHref={linkToTestOfRun(visit, of)}>
        <button type="submit">Create the issue in {trackerName}</button>
      </FormActions>
    </form>
  );
};

interface TypeProps {
  readonly types: OfferedChoices<IssueType>;
  /** The name of the tracker. */
  readonly trackerName: string;
  readonly name: string;
  readonly value: string | undefined;
  readonly problem: string | undefined;
}

const TypeField = ({ types, trackerName, value, ...field }: TypeProps): Html =>
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
      hint={`${trackerName} did not return a list of issue types, so enter one. ${types.problem}`}
      required
    />
  );

/** An input for each field that the tracker requires. Values that it has accepted are kept in hidden inputs. */
function RequiredFields({ refused, trackerName }: Pick<Props, 'refused'> & { readonly trackerName: string }): Html {
  if (refused?.operationId !== FORM) return <></>;
  const fields = parseRequiredFields(refused.body);
  const acceptedIds = listSentFieldIds(refused.values).filter((id) => fields.every(({ fieldId }) => fieldId !== id));
  const getSent = (name: string) => findSentValue(refused, FORM, name);
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
        const field = { label, name, value: getSent(name), hint: `${trackerName} requires this field` };
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
