/** §5.3 Asks a person whether an application may act for them. */
import { SCOPE_MEANINGS } from '#shared/access/scope-meanings.ts';
import type { Html } from '#shared/engine/html/html.ts';
import type { ConsentChoice, ConsentScope } from '#shared/oauth/consent.ts';
import type { ConsentQuery } from '#shared/oauth/consent-wire.ts';
import { OAUTH_LIMITS } from '#shared/oauth/limits.ts';
import { EntryPage } from '#shared/pages/design/entry-page.tsx';
import { CheckField, RadioField } from '#shared/pages/design/fields.tsx';
import { Fact } from '#shared/pages/design/parts.tsx';
import { linkToConsent, linkToSignOut } from '#shared/pages/shell/hrefs.ts';
import { findSentValue, findSentValues, RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import { getRoleName } from '#shared/pages/shell/role-names.ts';
import type { RefusedForm } from '#shared/pages/shell/view.ts';
import type { AccountVisit } from '#shared/sign-in/visit.ts';
import { AnswerPlaceName, ApplicationName, explainTrust } from './application-name.tsx';

const FORM = 'submitConsent';

interface ChoiceProps {
  readonly choice: ConsentChoice;
  /** What the person chose before they confirmed who they are. */
  readonly earlier: ConsentQuery;
  readonly refused: RefusedForm | undefined;
}

interface Props extends ChoiceProps {
  readonly visit: AccountVisit;
  readonly uid: string;
  /** The resource (RFC 8707) that the application asks for. */
  readonly resource: string;
}

export const ConsentPage = ({ visit, uid, choice, resource, earlier, refused }: Props): Html => (
  <EntryPage
    title={
      <>
        <ApplicationName {...choice.application} /> asks for access
      </>
    }
    lead={explainTrust(choice.application)}
  >
    <SignedInAs visit={visit} uid={uid} />
    <dl class="card facts">
      <Fact name="Asks for">
        {RESOURCES[choice.resource]}
        <br />
        <code class="soft">{resource}</code>
      </Fact>
      <Fact name="Returns to">
        <AnswerPlaceName {...choice.answerPlace} />
      </Fact>
      <Fact name="Valid for">
        {choice.asksRenewal
          ? `One hour. If the application may stay connected, it can renew its access for ${OAUTH_LIMITS.grantDays} days.`
          : 'One hour. Then the application must ask you again.'}
      </Fact>
    </dl>
    <RefusalMessage refused={refused} of={FORM} title="Your decision was not saved." />
    <form method="post" action={linkToConsent(visit, uid)} class="card consent">
      <input type="hidden" name="accountId" value={visit.account.accountId} />
      <Organizations choice={choice} earlier={earlier} refused={refused} />
      <Scopes choice={choice} earlier={earlier} refused={refused} />
      <div class="actions">
        {choice.organizations.length > 0 && choice.scopes.length + choice.furtherScopes.length > 0 && (
          <button type="submit" name="decision" value="allow">
            Allow
          </button>
        )}
        <button type="submit" name="decision" value="deny" class="quiet" formnovalidate>
          Deny
        </button>
      </div>
    </form>
    <p class="soft">
      Whether you allow or deny access, you will return to <AnswerPlaceName {...choice.answerPlace} />. You can
      disconnect the application at any time on your account page.
    </p>
  </EntryPage>
);

const RESOURCES = {
  api: 'the REST API of this service',
  mcp: 'the MCP server of this service, for AI agents',
} as const;

/** Lets the visitor sign in as another person and then return to this page. */
const SignedInAs = ({ visit, uid }: Pick<Props, 'visit' | 'uid'>): Html => (
  <form method="post" action={linkToSignOut(visit)} class="actions">
    <input type="hidden" name="return_to" value={linkToConsent({ base: '' }, uid)} />
    <span>
      You are signed in as <strong>{visit.account.name}</strong> ({visit.account.email}).
    </span>
    <button type="submit" class="plain small">
      Not you?
    </button>
  </form>
);

const Organizations = ({ choice: { organizations }, earlier, refused }: ChoiceProps): Html => {
  if (organizations.length === 0)
    return (
      <p class="notice">
        You are not a member of any active organization, so there is nothing to give access to. Ask an Admin for an
        invitation.
      </p>
    );
  const chosenId = findSentValue(refused, FORM, 'organizationId') ?? earlier.organizationId;
  const selectedId = chosenId ?? (organizations.length === 1 ? undefined : '');
  return (
    <fieldset>
      <legend>Organization</legend>
      {organizations.map(({ organizationId, name, role }) => (
        <RadioField
          name="organizationId"
          value={organizationId}
          checked={selectedId === undefined || selectedId === organizationId}
          role={role}
          label={
            <>
              <strong>{name}</strong> <span class="soft">as {getRoleName(role)}</span>
            </>
          }
        />
      ))}
    </fieldset>
  );
};

const Scopes = ({ choice, earlier, refused }: ChoiceProps): Html => {
  const { scopes, furtherScopes, asksRenewal, organizations } = choice;
  const tickedScopes = findSentValues(refused, FORM, 'scopes') ?? earlier.scopes;
  const isTicked = (scope: string) => tickedScopes === undefined || tickedScopes.includes(scope);
  const renderScope = (scope: ConsentScope, isChecked: boolean) => (
    <Scope asked={scope} organizations={organizations} checked={isChecked} />
  );
  const renderScopes = (wantsWrite: boolean) =>
    scopes.filter(({ isWrite }) => isWrite === wantsWrite).map((scope) => renderScope(scope, isTicked(scope.scope)));
  const reads = renderScopes(false);
  const writes = renderScopes(true);
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
      {furtherScopes.length > 0 && (
        <fieldset class="writes">
          <legend>What you may allow as well</legend>
          <p class="soft">
            The application does not ask for these permissions. Tick what it should be able to do for you, such as
            creating issues.
          </p>
          {furtherScopes.map((scope) => renderScope(scope, tickedScopes?.includes(scope.scope) ?? false))}
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

function explainRefusal(roles: ConsentScope['roles'], organizations: ConsentChoice['organizations']): string {
  if (roles.length === 0) return 'This is not available yet.';
  return organizations.length === 0 ? 'You are not a member of an organization.' : 'Your role does not allow it.';
}

/** The person's role may allow the scope in one organization and not in another. */
const Scope = ({
  asked: { scope, roles },
  organizations,
  checked,
}: Pick<ConsentChoice, 'organizations'> & { readonly asked: ConsentScope; readonly checked: boolean }): Html => {
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
          <s>{label}</s> <small>{explainRefusal(roles, organizations)}</small>
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
