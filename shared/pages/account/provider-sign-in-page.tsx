/** The way to a provider of this deployment, and what people see of it elsewhere: buttons, and their own identities. */
import type { Html } from '#shared/engine/html/html.ts';
import { type DeploymentProvider, GITHUB_URL } from '#shared/model/sign-in/deployment-provider.ts';
import type { ProviderIdentity } from '#shared/model/sign-in/provider-identity.ts';
import { EntryPage } from '#shared/pages/design/entry-page.tsx';
import { PostButton } from '#shared/pages/design/fields.tsx';
import { FullTime } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { Notice, Panel } from '#shared/pages/design/parts.tsx';
import { linkToAccountForm, linkToProviderSignIn, linkToSignIn } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { AccountVisit, Visit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: Visit | AccountVisit;
  readonly provider: DeploymentProvider;
  readonly purpose: 'join' | 'confirm' | undefined;
}

/** A link from a stranger must not sign the browser in unnoticed, so the person presses a button first (login CSRF). */
export const StartProviderSignInPage = ({ visit, provider, purpose }: Props): Html => (
  <EntryPage title={purpose === 'join' ? 'Join an organization' : `Sign in with ${provider.name}`}>
    {'account' in visit && (
      <Notice tone="flaky">
        You are signed in as {visit.account.name} ({visit.account.email}). If you continue, this browser is signed in as
        whoever you are at {provider.name}.
      </Notice>
    )}
    <section class="card" aria-label="Sign in">
      <p>
        You sign in at <strong>{new URL(provider.issuer).host}</strong> and then return here.
        {purpose === 'join' && ` ${provider.name} must know the address that was invited.`}
      </p>
      <a class="button whole" href={linkToProviderSignIn(visit, provider.providerId, { step: 'start', purpose })}>
        Continue with {provider.name}
      </a>
      <p>
        <a href={linkToSignIn(visit)}>Sign in with a passkey instead</a>
      </p>
    </section>
  </EntryPage>
);

/** The buttons of the page on which people sign in. */
export const ProviderButtons = ({
  visit,
  providers,
}: {
  readonly visit: Visit;
  readonly providers: readonly DeploymentProvider[];
}): Html => (
  <>
    {providers.map(({ providerId, name }) => (
      <p>
        <a class="button quiet whole" href={linkToProviderSignIn(visit, providerId, { step: 'start' })}>
          Continue with {name}
        </a>
      </p>
    ))}
  </>
);

interface IdentitiesProps extends WithForms<AccountVisit> {
  readonly providers: readonly DeploymentProvider[];
  readonly identities: readonly ProviderIdentity[];
}

/** What a person is connected with, and can be. Also shows identities of providers that the operator has removed. */
export const ProviderIdentities = ({ visit, refused, providers, identities }: IdentitiesProps): Html => {
  const others = providers.filter(({ issuer }) => !identities.some((identity) => identity.issuer === issuer));
  if (others.length + identities.length === 0) return <></>;
  return (
    <Panel title="Other ways to sign in" id="providers" isFlush>
      <RefusalMessage refused={refused} of="submitDisconnectIdentity" title="Nothing was disconnected." />
      <ul class="rows">
        {identities.map((identity) => (
          <li>
            <Icon name="log-in" />
            <div class="grow">
              <strong>{identity.name}</strong>
              <br />
              <small>
                {describeGround(identity)} <FullTime at={identity.createdAt} />
                {!providers.some(({ issuer }) => issuer === identity.issuer) && ', not used anymore'}
              </small>
            </div>
            <PostButton
              action={linkToAccountForm(visit, 'identities/disconnect')}
              fields={{ identity: identity.identity }}
              class="danger small"
              label={`Disconnect ${identity.name}`}
            >
              Disconnect
            </PostButton>
          </li>
        ))}
        {others.map(({ providerId, name, issuer }) => (
          <li>
            <Icon name="log-in" />
            <div class="grow">
              <strong>{name}</strong>
              {issuer !== GITHUB_URL && (
                <>
                  <br />
                  <small>{new URL(issuer).host}</small>
                </>
              )}
            </div>
            <a
              class="button quiet small"
              href={linkToProviderSignIn(visit, providerId, { step: 'connect' })}
              aria-label={`Connect ${name}`}
            >
              Connect
            </a>
          </li>
        ))}
      </ul>
    </Panel>
  );
};

/** Begins a sentence that ends with the time. */
function describeGround({ ground, name }: ProviderIdentity): string {
  switch (ground) {
    case 'person':
      return 'You connected it';
    case 'invitation':
      return 'Connected when you accepted your invitation';
    case 'domain':
      return `Connected when you first signed in there, because ${name} proves your address`;
  }
}
