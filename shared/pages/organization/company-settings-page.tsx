/** The settings of company sign-in: the provider of the organization, and whether members must use it. */
import { formatRecordName, formatRecordText } from '#shared/company-sign-in/domains.ts';
import { COMPANY_LIMITS } from '#shared/company-sign-in/limits.ts';
import type { CompanySettings } from '#shared/company-sign-in/provider-settings.ts';
import type { Html } from '#shared/engine/html/html.ts';
import type { Account } from '#shared/model/organizations/account.ts';
import type { ProvenDomain } from '#shared/model/sign-in/proven-domain.ts';
import { AskedButton, CheckField, PostButton, TextField } from '#shared/pages/design/fields.tsx';
import { FullTime } from '#shared/pages/design/format.tsx';
import { CopiedText, PageHead, Panel } from '#shared/pages/design/parts.tsx';
import { readFormEntries } from '#shared/pages/shell/form-entries.ts';
import { linkToCompanySettings } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { OrganizationVisit } from '#shared/sign-in/visit.ts';

interface Props extends WithForms<OrganizationVisit> {
  readonly settings: CompanySettings;
  readonly domains: readonly ProvenDomain[];
  /** People who signed in with the company before an Admin removed them. */
  readonly removed: readonly Account[];
  /** The address to which the provider returns people, and the link that members bookmark. */
  readonly callbackUrl: string;
  readonly signInUrl: string;
}

export const CompanySettingsPage = (props: Props): Html => {
  const { visit, settings, signInUrl } = props;
  const { provider } = settings;
  return (
    <>
      <PageHead
        title="Company sign-in"
        meta={`Members of ${visit.organizationName} sign in at your identity provider: Okta, Microsoft Entra, Google Workspace, Keycloak or another one with OpenID Connect.`}
      />
      <div class="stack">
        {provider && (
          <Panel title="Link for your members">
            <p>Members sign in with this link. Put it on your company's start page, or let them bookmark it.</p>
            <CopiedText text={signInUrl} />
          </Panel>
        )}
        <ProviderForm {...props} />
        {provider && <Domains {...props} />}
        {provider && <Requirement {...props} />}
        <RemovedPeople {...props} />
        {provider && (
          <Panel title="Disconnect">
            <p>
              Sessions that {provider.name} started end at once. Members and their roles stay. Those who have no account
              of their own cannot sign in until you connect a provider again.
            </p>
            <a class="button quiet danger" href={linkToCompanySettings(visit, 'disconnect')}>
              Disconnect {provider.name}
            </a>
          </Panel>
        )}
      </div>
    </>
  );
};

const ProviderForm = ({ visit, settings, refused, callbackUrl }: Props): Html => {
  const { provider } = settings;
  const { field, box, problem } = readFormEntries(refused, 'submitCompanyProvider');
  return (
    <Panel title={provider ? 'Provider' : 'Connect your provider'}>
      <form method="post" action={linkToCompanySettings(visit)}>
        <RefusalMessage refused={refused} of="submitCompanyProvider" title="The provider was not saved." />
        <p>
          At your provider, create a web application with OpenID Connect and the authorization code flow. It needs this
          redirect URI, also called callback or sign-in redirect:
        </p>
        <CopiedText text={callbackUrl} />
        <TextField
          label="Name"
          {...field('name', provider?.name)}
          maxlength={COMPANY_LIMITS.nameCharacters}
          hint="Members read it on the button, such as Acme Okta"
          required
        />
        <TextField
          label="Issuer"
          {...field('issuer', provider?.issuer)}
          type="url"
          hint="Such as https://acme.okta.com, or https://login.microsoftonline.com/<tenant id>/v2.0. Rundown reads the rest from /.well-known/openid-configuration below it"
          required
        />
        <TextField
          label="Client id"
          {...field('clientId', provider?.clientId)}
          maxlength={COMPANY_LIMITS.clientIdCharacters}
          required
        />
        <TextField
          label="Client secret"
          name="clientSecret"
          type="password"
          autocomplete="off"
          maxlength={COMPANY_LIMITS.secretCharacters}
          problem={problem('clientSecret')}
          hint={
            provider
              ? 'Leave it empty to keep the stored one. It is used only with this issuer and client id'
              : 'It is stored encrypted, and nobody can read it here again'
          }
        />
        <TextField
          label="Claim with groups (optional)"
          {...field('groupsClaim', provider?.groupsClaim)}
          maxlength={COMPANY_LIMITS.claimCharacters}
          hint="Such as groups. At each sign-in, the groups that have a role decide the role of the member"
        />
        <CheckField
          label="Whoever signs in becomes a member. Otherwise, only people whom your directory has added can sign in"
          {...box('admitsNew', provider?.admitsNew ?? true)}
        />
        <button type="submit">{provider ? 'Save' : 'Connect'}</button>
      </form>
    </Panel>
  );
};

/** A proven domain shows the way to the sign-in, and gives nobody access. */
const Domains = ({ visit, domains, refused }: Props): Html => {
  const { field } = readFormEntries(refused, 'submitDomain');
  return (
    <Panel title="Your domains" id="domains">
      <p>
        Members who do not have the link can enter their email address at the sign-in, if you have proven its domain. It
        only leads them here: it gives nobody access.
      </p>
      {domains.length > 0 && (
        <ul class="rows">
          {domains.map(({ domain, provenAt }) => (
            <li>
              <span class="grow">
                {domain}{' '}
                <small>
                  proven <FullTime at={provenAt} />
                </small>
              </span>
              <PostButton
                action={linkToCompanySettings(visit, 'domains')}
                fields={{ domain }}
                class="quiet small"
                label={`Check ${domain} again`}
              >
                Check again
              </PostButton>
              <AskedButton
                action={linkToCompanySettings(visit, 'domains', 'remove')}
                fields={{ domain }}
                open="Remove…"
                label={`Remove ${domain}…`}
                question="Members with an address of this domain are no longer led to the company sign-in."
              >
                Remove this domain
              </AskedButton>
            </li>
          ))}
        </ul>
      )}
      <form method="post" action={linkToCompanySettings(visit, 'domains')}>
        <RefusalMessage refused={refused} of="submitDomain" title="The domain is not proven." />
        <p>
          Add a TXT record named <code>{formatRecordName('<your domain>')}</code> with this text, and leave it there:
        </p>
        <CopiedText text={formatRecordText(visit)} />
        <TextField label="Domain" {...field('domain')} hint="Such as example.com" required />
        <button type="submit">Check the record</button>
      </form>
    </Panel>
  );
};

/** Whoever was removed cannot come back by signing in again. */
const RemovedPeople = ({ visit, removed, refused }: Props): Html => {
  if (removed.length === 0) return <></>;
  return (
    <Panel title="Removed people" note="they cannot sign in again by themselves" isFlush>
      <RefusalMessage refused={refused} of="submitReadmit" title="Nobody was let in." />
      <ul class="rows">
        {removed.map(({ accountId, name, email }) => (
          <li>
            <span class="grow">
              {name} <small>{email}</small>
            </span>
            <PostButton
              action={linkToCompanySettings(visit, 'readmit')}
              fields={{ accountId }}
              class="quiet small"
              label={`Let ${name} in again`}
            >
              Let in again
            </PostButton>
          </li>
        ))}
      </ul>
    </Panel>
  );
};

const Requirement = ({ visit, settings, refused }: Props): Html => (
  <Panel title={settings.isRequired ? 'Required for everybody' : 'Require it for everybody'}>
    <RefusalMessage refused={refused} of="submitCompanyRequirement" title="Nothing was changed." />
    <p>
      {settings.isRequired
        ? 'Members can use this organization only after they have signed in with your company. Passkeys do not open it. A sign-in link from the operator of this service still does, so that an outage of your provider locks nobody out.'
        : 'Then passkeys do not open this organization any more. API keys and tokens keep working. First sign in with your company yourself: you can switch this on only in such a session.'}
    </p>
    <PostButton
      action={linkToCompanySettings(visit, 'requirement')}
      fields={{ required: settings.isRequired ? 'false' : 'true' }}
      class={settings.isRequired ? 'quiet' : undefined}
    >
      {settings.isRequired ? 'Do not require it any more' : 'Require company sign-in'}
    </PostButton>
  </Panel>
);
