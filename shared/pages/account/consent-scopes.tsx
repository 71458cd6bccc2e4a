/** §5.3 The scopes that an application asks for. The person may deny each of them. */
import { SCOPE_MEANINGS } from '#shared/access/scope-meanings.ts';
import type { Html } from '#shared/engine/html/html.ts';
import type { AskedScope, ConsentChoice } from '#shared/oauth/consent.ts';
import { OAUTH_LIMITS } from '#shared/oauth/limits.ts';
import type { OwnOrganization } from '#shared/organizations/own-organizations.ts';
import { CheckField } from '#shared/pages/design/fields.tsx';
import { sentValues } from '#shared/pages/shell/refused-form.tsx';
import type { RefusedForm } from '#shared/pages/shell/view.ts';

/** The id of the operation to which the form sends the person's decision. */
export const FORM = 'submitConsent';

export interface ChoiceProps {
  readonly choice: ConsentChoice;
  readonly refused: RefusedForm | undefined;
}

export const Scopes = ({ choice, refused }: ChoiceProps): Html => {
  const { scopes, asksRenewal, organizations } = choice;
  const ticked = sentValues(refused, FORM, 'scopes');
  const isTicked = (scope: string) => ticked === undefined || ticked.includes(scope);
  const shown = (wanted: boolean) =>
    scopes
      .filter(({ isWrite }) => isWrite === wanted)
      .map((asked) => <Scope asked={asked} organizations={organizations} checked={isTicked(asked.scope)} />);
  const reads = shown(false);
  const writes = shown(true);
  return (
    <>
      {scopes.length === 0 && (
        <p class="notice">The application does not ask for any permission that this service offers.</p>
      )}
      {reads.length > 0 && (
        <fieldset>
          <legend>What the application may see</legend>
          {reads}
        </fieldset>
      )}
      {writes.length > 0 && (
        <fieldset class="writes">
          <legend>What the application may change or delete</legend>
          {writes}
        </fieldset>
      )}
      {asksRenewal && (
        <fieldset>
          <legend>Stay connected</legend>
          <CheckField
            name="scopes"
            value="offline_access"
            checked={isTicked('offline_access')}
            label={`Stay connected for ${OAUTH_LIMITS.grantDays} days, without asking you again`}
          />
        </fieldset>
      )}
    </>
  );
};

interface ScopeProps {
  readonly asked: AskedScope;
  readonly organizations: readonly OwnOrganization[];
  readonly checked: boolean;
}

function refusalOf(roles: AskedScope['roles'], organizations: readonly OwnOrganization[]): string {
  if (roles.length === 0) return 'This is not available yet.';
  return organizations.length === 0 ? 'You are not a member of an organization.' : 'Your role does not allow it.';
}

/** The person's role may allow the scope in one organization and not in another. */
const Scope = ({ asked: { scope, roles }, organizations, checked }: ScopeProps): Html => {
  const without = organizations.filter(({ role }) => !roles.includes(role));
  const label = (
    <>
      <span class="meaning">{SCOPE_MEANINGS[scope]}</span> <code class="soft">{scope}</code>
    </>
  );
  if (without.length === organizations.length)
    return (
      <div class="check refused">
        <span>
          <s>{label}</s> <small>{refusalOf(roles, organizations)}</small>
        </span>
      </div>
    );
  return (
    <CheckField
      name="scopes"
      value={scope}
      checked={checked}
      roles={roles.join(' ')}
      label={
        <>
          {label}
          {without.length > 0 && (
            <small> Not in {without.map(({ name }) => name).join(', ')}, because of your role.</small>
          )}
        </>
      }
    />
  );
};
