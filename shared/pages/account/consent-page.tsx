/** §5.3 Asks a person whether an application may act for them. */
import type { Html } from '#shared/engine/html/html.ts';
import type { ConsentChoice } from '#shared/oauth/consent.ts';
import { OAUTH_LIMITS } from '#shared/oauth/limits.ts';
import { EntryPage } from '#shared/pages/design/entry-page.tsx';
import { RadioField } from '#shared/pages/design/fields.tsx';
import { consentHref, signOutHref } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage, sentValue } from '#shared/pages/shell/refused-form.tsx';
import { roleName } from '#shared/pages/shell/role-names.ts';
import type { RefusedForm } from '#shared/pages/shell/view.ts';
import type { AccountVisit } from '#shared/sign-in/visit.ts';
import { AnswerPlaceName, ApplicationName, applicationProof } from './application-name.tsx';
import { type ChoiceProps, FORM, Scopes } from './consent-scopes.tsx';

interface Props {
  readonly visit: AccountVisit;
  readonly uid: string;
  readonly choice: ConsentChoice;
  /** The resource (RFC 8707) that the application asks for. */
  readonly resource: string;
  readonly refused: RefusedForm | undefined;
}

export const ConsentPage = ({ visit, uid, choice, resource, refused }: Props): Html => (
  <EntryPage
    title={
      <>
        <ApplicationName {...choice.application} /> asks for access
      </>
    }
    lead={applicationProof(choice.application)}
  >
    <SignedInAs visit={visit} uid={uid} />
    <dl class="card facts">
      <dt>Asks for</dt>
      <dd>
        {RESOURCES[choice.resource]}
        <br />
        <code class="soft">{resource}</code>
      </dd>
      <dt>Returns to</dt>
      <dd>
        <AnswerPlaceName {...choice.answerPlace} />
      </dd>
      <dt>Valid for</dt>
      <dd>{lastsText(choice)}</dd>
    </dl>
    <RefusalMessage refused={refused} of={FORM} title="Your decision was not saved." />
    <form method="post" action={consentHref(visit, uid)} class="card consent">
      <input type="hidden" name="accountId" value={visit.account.accountId} />
      <Organizations choice={choice} refused={refused} />
      <Scopes choice={choice} refused={refused} />
      <Buttons choice={choice} />
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

const lastsText = ({ asksRenewal }: ConsentChoice): string =>
  asksRenewal
    ? `One hour. If the application may stay connected, it can renew its access for ${OAUTH_LIMITS.grantDays} days.`
    : 'One hour. Then the application must ask you again.';

/** Lets the visitor sign in as another person and then return to this page. */
const SignedInAs = ({ visit, uid }: Pick<Props, 'visit' | 'uid'>): Html => (
  <form method="post" action={signOutHref(visit)} class="actions">
    <input type="hidden" name="return_to" value={consentHref({ base: '' }, uid)} />
    <span>
      You are signed in as <strong>{visit.account.name}</strong> ({visit.account.email}).
    </span>
    <button type="submit" class="plain small">
      Not you?
    </button>
  </form>
);

const Organizations = ({ choice: { organizations }, refused }: ChoiceProps): Html => {
  if (organizations.length === 0)
    return (
      <p class="notice">
        You are not a member of any active organization, so there is nothing to give access to. Ask an Admin for an
        invitation.
      </p>
    );
  const sent = sentValue(refused, FORM, 'organizationId') ?? (organizations.length === 1 ? undefined : '');
  return (
    <fieldset>
      <legend>Organization</legend>
      {organizations.map(({ organizationId, name, role }) => (
        <RadioField
          name="organizationId"
          value={organizationId}
          checked={sent === undefined || sent === organizationId}
          role={role}
          label={
            <>
              <strong>{name}</strong> <span class="soft">as {roleName(role)}</span>
            </>
          }
        />
      ))}
    </fieldset>
  );
};

const Buttons = ({ choice: { organizations, scopes } }: Pick<ChoiceProps, 'choice'>): Html => (
  <div class="actions">
    {organizations.length > 0 && scopes.length > 0 && (
      <button type="submit" name="decision" value="allow">
        Allow
      </button>
    )}
    <button type="submit" name="decision" value="deny" class="quiet" formnovalidate>
      Deny
    </button>
  </div>
);
