/** §5 Provisioning by the directory of a company: SCIM tokens, and the roles that groups give. */

import { DIRECTORY_LIMITS } from '#shared/directory/limits.ts';
import type { DirectoryOverview } from '#shared/directory/settings.ts';
import type { ListedScimToken } from '#shared/directory/tokens.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { ROLES } from '#shared/model/organizations/membership.ts';
import { DataTable, wide } from '#shared/pages/design/data-table.tsx';
import { AskedButton, SelectField, TextArea } from '#shared/pages/design/fields.tsx';
import { FullTime } from '#shared/pages/design/format.tsx';
import { CopiedText, EmptyState, Fact, PageHead, Panel } from '#shared/pages/design/parts.tsx';
import { readFormEntries } from '#shared/pages/shell/form-entries.ts';
import { linkToDocs, linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import { getRoleName } from '#shared/pages/shell/role-names.ts';
import { FormId, ShownOnce } from '#shared/pages/shell/shown-once.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';

interface Props extends WithForms<OrganizationVisit> {
  readonly origin: string;
  readonly tokens: readonly ListedScimToken[];
  readonly directory: DirectoryOverview;
  readonly nameOf: (actor: string) => string;
  readonly formId: string;
}

export const DirectoryPage = (props: Props): Html => (
  <>
    <PageHead
      title="Directory"
      meta="Okta, Entra ID or another directory with SCIM 2.0 adds and removes people, and sets their roles."
      actions={
        <a class="button" href={linkToDocs(props.visit, 'provisioning')}>
          Set up step by step
        </a>
      }
    />
    <Connection {...props} />
    <Tokens {...props} />
    <GroupRolesForm {...props} />
  </>
);

const buildScimUrl = (origin: string): string => `${origin}/scim/v2`;

const Connection = ({ origin, directory: { people, activePeople, groupNames } }: Props): Html => (
  <Panel title="Connection">
    <dl class="facts">
      <Fact name="Address (tenant URL)">
        <CopiedText text={buildScimUrl(origin)} label="Copy the address" />
      </Fact>
      <Fact name="People">
        {people === 0 ? 'The directory has not sent any yet' : `${people} in all, ${activePeople} active`}
      </Fact>
      <Fact name="Groups">{groupNames.length === 0 ? 'None yet' : groupNames.slice(0, SHOWN_GROUPS).join(', ')}</Fact>
    </dl>
  </Panel>
);

const SHOWN_GROUPS = 20;

const Tokens = ({ visit, tokens, nameOf, formId, refused }: Props): Html => (
  <Panel
    title="SCIM tokens"
    note="Two at a time, so that you can change to a new one without a gap."
    isFlush={tokens.length > 0}
    footer={
      tokens.length < DIRECTORY_LIMITS.scimTokens && (
        <form method="post" action={linkToOrganizationSettings(visit, 'directory')}>
          <RefusalMessage refused={refused} of="submitNewScimToken" />
          <FormId formId={formId} />
          <button type="submit">Create SCIM token</button>
        </form>
      )
    }
  >
    {tokens.length === 0 ? (
      <EmptyState icon="key-round" title="There are no tokens yet">
        <p>Create one, and enter it in the directory together with the address.</p>
      </EmptyState>
    ) : (
      <DataTable label="SCIM tokens" columns={['Ends with', ...wide('Created'), ...wide('By'), 'Last used', 'Revoke']}>
        {tokens.map(({ tokenId, lastFour, createdAt, createdBy, lastUsedAt }) => (
          <tr>
            <th scope="row">
              <code>…{lastFour}</code>
            </th>
            <td class="wide">
              <FullTime at={createdAt} />
            </td>
            <td class="wide">{nameOf(createdBy)}</td>
            <td>{lastUsedAt === undefined ? 'never' : <FullTime at={lastUsedAt} />}</td>
            <td>
              <AskedButton
                action={linkToOrganizationSettings(visit, 'directory', 'revoke')}
                fields={{ tokenId }}
                open="Revoke…"
                label={`Revoke the token that ends with ${lastFour}…`}
                question="The directory can no longer add, change or remove people with this token."
              >
                Revoke this token
              </AskedButton>
            </td>
          </tr>
        ))}
      </DataTable>
    )}
  </Panel>
);

const GroupRolesForm = ({ visit, directory, refused }: Props): Html => {
  const { sent, field } = readFormEntries(refused, 'submitGroupRoles');
  return (
    <Panel title="Roles by group" note="If several groups give a role, the highest one counts.">
      <form method="post" action={linkToOrganizationSettings(visit, 'directory', 'roles')}>
        <RefusalMessage refused={refused} of="submitGroupRoles" />
        {ROLES.map((role) => {
          const names = directory.groupRoles.filter((row) => row.role === role).map(({ group }) => group);
          const { name, value, problem } = field(role, names.join('\n'));
          return (
            <TextArea
              label={`Groups whose members are ${getRoleName(role)}`}
              name={name}
              value={value ?? ''}
              problem={problem}
              rows={2}
              hint={role === 'admin' ? 'One name per line, as in the directory' : undefined}
            />
          );
        })}
        <SelectField
          label="Everybody else"
          name="defaultRole"
          value={sent('defaultRole') ?? directory.defaultRole}
          options={ROLES.map((role) => ({ value: role, label: getRoleName(role) }))}
          hint="A role that you give to a member by hand lasts until the groups of this person give another one"
        />
        <button type="submit">Save</button>
      </form>
    </Panel>
  );
};

interface CreatedProps {
  readonly visit: OrganizationVisit;
  readonly value: string;
  readonly origin: string;
}

export const CreatedScimTokenPage = ({ visit, value, origin }: CreatedProps): Html => (
  <>
    <PageHead title="The SCIM token was created" />
    <ShownOnce name="this SCIM token" value={value} />
    <p>Enter it in the directory as the secret or API token, together with this address (tenant URL, base URL):</p>
    <CopiedText text={buildScimUrl(origin)} label="Copy the address" />
    <p>
      <a href={linkToDocs(visit, 'provisioning')}>Set up Okta or Entra ID step by step</a>
    </p>
    <p>
      <a href={linkToOrganizationSettings(visit, 'directory')}>Back to the directory</a>
    </p>
  </>
);
