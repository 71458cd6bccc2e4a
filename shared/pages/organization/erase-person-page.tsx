/** Erases a person from what the organization has recorded, and lists whom it has erased. */
import type { Html } from '#shared/engine/html/html.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { type Erasure, makePseudonym } from '#shared/model/organizations/erasure.ts';
import { DataTable } from '#shared/pages/design/data-table.tsx';
import { TextField } from '#shared/pages/design/fields.tsx';
import { FullTime, formatQuantity } from '#shared/pages/design/format.tsx';
import { FormActions, GroupHead, PageHead } from '#shared/pages/design/parts.tsx';
import { readFormEntries } from '#shared/pages/shell/form-entries.ts';
import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';

interface Props extends WithForms<OrganizationVisit> {
  readonly erasures: readonly Erasure[];
}

export function ErasePersonPage({ visit, erasures, refused }: Props): Html {
  const { field } = readFormEntries(refused, 'submitErasePerson');
  return (
    <>
      <PageHead
        title="Erase a person"
        meta="Replaces the name and the address of somebody who has left by a pseudonym. This cannot be undone."
      />
      <form method="post" action={linkToOrganizationSettings(visit, 'members', 'erase')}>
        <RefusalMessage refused={refused} of="submitErasePerson" title="Nobody was erased." />
        <TextField
          label="Email address in their commits"
          type="email"
          {...field('email')}
          maxlength={MODEL_LIMITS.idCharacters}
          hint="Erase each further address of the person by itself"
          required
        />
        <TextField
          label="Names in commits without an address"
          {...field('names')}
          hint="Optional, separated by commas. Only commits without any address are found by name, so namesakes keep theirs"
        />
        <p>
          This reaches runs, histories, search, filters, rules, webhook deliveries, invitations and the audit log of all
          projects. Filters find the person's runs by the pseudonym, and new recordings with the address get it as well.
        </p>
        <p>
          It does not reach texts that somebody recorded or typed, such as titles of tests, errors and commit messages.
          Backups of the operator end after their time, 35 days for the table and 36 days for files in the usual
          settings. Files that somebody exported are not reached.
        </p>
        <FormActions cancelHref={linkToOrganizationSettings(visit, 'members')}>
          <button type="submit" class="danger">
            Erase this person
          </button>
        </FormActions>
      </form>
      {erasures.length > 0 && (
        <>
          <GroupHead title="Erased people" />
          <DataTable label="Erased people" columns={['Pseudonym', 'Since', 'State']}>
            {erasures.map((erasure) => (
              <tr>
                <th scope="row">
                  {makePseudonym(erasure.code).name}
                  <br />
                  <small>{makePseudonym(erasure.code).address}</small>
                </th>
                <td>
                  <FullTime at={erasure.startedAt} />
                </td>
                <td>
                  <ErasureState erasure={erasure} />
                </td>
              </tr>
            ))}
          </DataTable>
        </>
      )}
    </>
  );
}

const ErasureState = ({ erasure }: { readonly erasure: Erasure }): Html => (
  <>
    {formatErasureState(erasure)}
    {erasure.left > 0 && (
      <>
        <br />
        <small>
          {formatQuantity(erasure.left, 'spec file')} could not be changed, because the stored results are damaged
        </small>
      </>
    )}
  </>
);

function formatErasureState({ doneAt, pass = 0, runs }: Erasure): string {
  if (doneAt !== undefined) return `Done, in ${formatQuantity(runs, 'run')}`;
  return pass === 0 ? 'Under way' : 'Replaced. A last look follows within two hours';
}
