/** §5.2 Creates a personal access token, and shows its value once. */
import type { Html } from '#shared/engine/html/html.ts';
import { isPermission, isWrite, PERMISSIONS, type Permission } from '#shared/model/organizations/permissions.ts';
import { ORGANIZATION_LIMITS } from '#shared/organizations/limits.ts';
import type { ListedToken } from '#shared/organizations/list-personal-tokens.ts';
import type { OwnOrganization } from '#shared/organizations/own-organizations.ts';
import { DEFAULT_LIFETIME, getPossibleDays, LIFETIMES } from '#shared/organizations/token-expiry.ts';
import { CheckField, CheckGroup, SelectField, TextField } from '#shared/pages/design/fields.tsx';
import { FullTime } from '#shared/pages/design/format.tsx';
import { EmptyState, FormActions, GroupHead, PageHead } from '#shared/pages/design/parts.tsx';
import { readFormEntries } from '#shared/pages/shell/form-entries.ts';
import { linkToAccountForm } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import { FormId, ShownOnce } from '#shared/pages/shell/shown-once.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { AccountVisit } from '#shared/sign-in/visit.ts';

interface FormProps extends WithForms<AccountVisit> {
  /** The organizations where the person may create a token. */
  readonly organizations: readonly OwnOrganization[];
  /** The organization preselected by the link to this page. */
  readonly organizationId: string | undefined;
  readonly formId: string;
  readonly now: number;
}

export function NewTokenPage({ visit, organizations, organizationId, formId, now, refused }: FormProps): Html {
  if (organizations.length === 0) return <NoAdmin visit={visit} />;
  const { field, sent, all, problem } = readFormEntries(refused, 'submitNewToken');
  const { first, last } = getPossibleDays(now);
  return (
    <>
      <PageHead
        title="New personal access token"
        meta="The token acts as you in one organization, and never with more access than your role allows."
      />
      <form method="post" action={linkToAccountForm(visit, 'tokens/new')}>
        <RefusalMessage refused={refused} of="submitNewToken" />
        <FormId formId={formId} />
        <SelectField
          label="Organization"
          name="organizationId"
          value={sent('organizationId') ?? organizationId}
          options={organizations.map((one) => ({ value: one.organizationId, label: one.name }))}
          hint="The token works in this organization only"
        />
        <TextField
          label="Name"
          {...field('name')}
          maxlength={ORGANIZATION_LIMITS.tokenNameCharacters}
          hint="For example, the name of the tool that will use the token"
          required
        />
        <TextField
          label="Description (optional)"
          {...field('description')}
          maxlength={ORGANIZATION_LIMITS.tokenDescriptionCharacters}
        />
        <SelectField
          label="Expires after"
          name="lifetime"
          value={sent('lifetime') ?? DEFAULT_LIFETIME}
          options={LIFETIMES.map((value) => ({
            value,
            label: LIFETIME_NAMES[value] ?? value.replace('d', ' days'),
          }))}
          hint="The token is valid until the end of its last day, in UTC. Its validity cannot be extended"
        />
        <TextField
          label="Or choose the last day of validity"
          name="lastDay"
          type="date"
          value={sent('lastDay')}
          problem={problem('lifetime')}
          min={first}
          max={last}
          hint={`The day replaces the choice above. It must be between ${first} and ${last}`}
        />
        <Permissions chosen={all('permissions') ?? []} problem={problem('permissions')} />
        <FormActions cancelHref={linkToAccountForm(visit, 'tokens')}>
          <button type="submit">Create token</button>
        </FormActions>
      </form>
    </>
  );
}

const NoAdmin = ({ visit }: Pick<FormProps, 'visit'>): Html => (
  <>
    <PageHead title="New personal access token" />
    <EmptyState icon="lock" title="Only Admins of an organization can create tokens">
      <p>
        Ask an Admin for a Read Only API key instead, or see{' '}
        <a href={linkToAccountForm(visit, 'tokens')}>your tokens</a>.
      </p>
    </EmptyState>
  </>
);

const LIFETIME_NAMES: Readonly<Record<string, string>> = { '1y': '1 year' };

/** §5.2 A description of what each permission allows. */
const REACHES: Readonly<Record<Permission, string>> = {
  'projects:read': 'projects, their settings, tags, branches and authors',
  'projects:write': 'creating, changing, deleting and restoring projects',
  'results:read': 'runs, spec files, test results and failure evidence',
  'analytics:read': 'aggregate metrics',
  'actions:read': 'quarantine, skip and tag rules',
  'actions:write': 'creating, changing and archiving quarantine, skip and tag rules',
  'issues:write': 'creating, linking and unlinking issues in a connected issue tracker',
  'runs:write': 'cancelling, resetting and deleting runs',
  'webhooks:read': 'webhooks with their addresses and headers',
  'webhooks:write': 'creating, changing and deleting webhooks',
};

const Permissions = ({
  chosen,
  problem,
}: {
  readonly chosen: readonly string[];
  readonly problem: string | undefined;
}): Html => (
  <CheckGroup legend="Permissions" name="permissions" problem={problem}>
    <p class="soft">You cannot add permissions later. A write permission includes the matching read permission.</p>
    {[...PERMISSIONS]
      .sort((one, other) => Number(isWrite(one)) - Number(isWrite(other)))
      .map((permission) => (
        <CheckField
          name="permissions"
          value={permission}
          checked={chosen.includes(permission)}
          includes={findReadPermission(permission)}
          problem={problem}
          label={
            <>
              <code>{permission}</code> <span class="soft">{REACHES[permission]}</span>
            </>
          }
        />
      ))}
  </CheckGroup>
);

const findReadPermission = (permission: Permission): string | undefined =>
  isWrite(permission) ? [permission.replace(/write$/, 'read')].find(isPermission) : undefined;

interface ShownProps {
  readonly visit: AccountVisit;
  readonly token: ListedToken & { readonly value: string };
  readonly origin: string;
}

export const CreatedTokenPage = ({ visit, token, origin }: ShownProps): Html => (
  <>
    <PageHead title={`${token.name} was created`} />
    <ShownOnce name="this token" value={token.value} />
    <p>
      It works in {token.organization} until <FullTime at={token.validUntil} />, with {token.permissions.join(', ')}.
    </p>
    <GroupHead title="Try it" />
    <pre class="wrap reading">{`curl -H 'Authorization: Bearer ${token.value}' ${origin}/v1/me`}</pre>
    <p>
      <a href={linkToAccountForm(visit, 'tokens')}>All your tokens</a>
    </p>
  </>
);
