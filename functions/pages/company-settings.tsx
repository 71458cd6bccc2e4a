import * as z from 'zod';
import { checkDomain, listDomains, removeDomain } from '#shared/company-sign-in/domains.ts';
import { formatCallbackPath } from '#shared/company-sign-in/flow.ts';
import { listRemovedPeople, readmit } from '#shared/company-sign-in/identities.ts';
import {
  changeRequirement,
  disconnectProvider,
  readCompanySettings,
} from '#shared/company-sign-in/provider-settings.ts';
import { saveProvider } from '#shared/company-sign-in/save-provider.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { redirect } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { adminNews } from '#shared/model/organizations/admin-news.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { creationTurns } from '#shared/model/organizations/creation-turn.ts';
import { invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { memberships, membershipsOfAccount } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { companyProviders } from '#shared/model/sign-in/company-provider.ts';
import { provenDomains, provenDomainsOfOrganization } from '#shared/model/sign-in/proven-domain.ts';
import { CompanySettingsPage } from '#shared/pages/organization/company-settings-page.tsx';
import { PROVIDER_FIELDS, toProviderSettings } from '#shared/pages/organization/provider-wire.ts';
import { linkToCompanySettings, linkToCompanySignIn } from '#shared/pages/shell/hrefs.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { connectProviders, connectTxtReader } from '#shared/platform/connect.ts';
import { form, page } from '#shared/platform/page.ts';

const providers = connectProviders();
const txtReader = connectTxtReader();
const TITLE = 'Company sign-in';

export const showCompanySettings = page({
  operationId: 'showCompanySettings',
  route: 'GET /{organizationId}/settings/company-sign-in',
  lambda: 'company-settings',
  needs: 'companySignIn:change',
  fresh: 'change how members sign in',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, refused }, services) {
    const { origin } = services;
    const { organizationId } = visit;
    const [settings, domains, removed] = await Promise.all([
      readCompanySettings(services, caller),
      listDomains(services, caller),
      listRemovedPeople(services, caller),
    ]);
    const body = (
      <CompanySettingsPage
        visit={visit}
        settings={settings}
        domains={domains}
        removed={removed}
        refused={refused}
        callbackUrl={origin + formatCallbackPath(organizationId)}
        signInUrl={origin + linkToCompanySignIn({ base: '' }, organizationId)}
      />
    );
    return { title: TITLE, tab: TITLE, body };
  },
});

export const submitCompanyProvider = form({
  operationId: 'submitCompanyProvider',
  route: 'POST /{organizationId}/settings/company-sign-in',
  lambda: 'company-settings',
  needs: 'companySignIn:change',
  fresh: 'change how members sign in',
  access: {
    table: 'readWrite',
    writes: [adminNews, companyProviders, organizations, auditRecords],
    artifacts: 'none',
    providers: 'write',
  },
  fields: z.object(PROVIDER_FIELDS),
  page: 'showCompanySettings',
  async submit({ visit, caller, fields }, services) {
    await saveProvider({ ...services, secrets: providers() }, { ...caller, settings: toProviderSettings(fields) });
    return redirect(linkToCompanySettings(visit));
  },
});

export const submitCompanyRequirement = form({
  operationId: 'submitCompanyRequirement',
  route: 'POST /{organizationId}/settings/company-sign-in/requirement',
  lambda: 'company-settings',
  needs: 'companySignIn:change',
  fresh: 'change how members sign in',
  access: { table: 'readWrite', writes: [adminNews, organizations, auditRecords], artifacts: 'none' },
  fields: z.object({ required: z.enum(['true', 'false']) }),
  page: 'showCompanySettings',
  async submit({ visit, caller, fields: { required } }, services) {
    await changeRequirement(services, { ...caller, isRequired: required === 'true' });
    return redirect(linkToCompanySettings(visit));
  },
});

export const submitDomain = form({
  operationId: 'submitDomain',
  route: 'POST /{organizationId}/settings/company-sign-in/domains',
  lambda: 'company-settings',
  needs: 'companySignIn:change',
  fresh: 'change how members sign in',
  access: {
    table: 'readWrite',
    writes: [adminNews, auditRecords, creationTurns, provenDomains, provenDomainsOfOrganization],
    artifacts: 'none',
  },
  fields: z.object({ domain: z.string() }),
  page: 'showCompanySettings',
  async submit({ visit, caller, fields: { domain } }, services) {
    await checkDomain({ ...services, readTxtRecords: txtReader() }, { ...caller, domain });
    return redirect(`${linkToCompanySettings(visit)}#domains`);
  },
});

export const submitRemoveDomain = form({
  operationId: 'submitRemoveDomain',
  route: 'POST /{organizationId}/settings/company-sign-in/domains/remove',
  lambda: 'company-settings',
  needs: 'companySignIn:change',
  fresh: 'change how members sign in',
  access: {
    table: 'readWrite',
    writes: [adminNews, auditRecords, provenDomains, provenDomainsOfOrganization],
    artifacts: 'none',
  },
  fields: z.object({ domain: z.string() }),
  page: 'showCompanySettings',
  async submit({ visit, caller, fields: { domain } }, services) {
    await removeDomain(services, { ...caller, domain });
    return redirect(`${linkToCompanySettings(visit)}#domains`);
  },
});

export const submitReadmit = form({
  operationId: 'submitReadmit',
  route: 'POST /{organizationId}/settings/company-sign-in/readmit',
  lambda: 'company-settings',
  needs: 'companySignIn:change',
  fresh: 'change how members sign in',
  access: {
    table: 'readWrite',
    writes: [memberships, membershipsOfAccount, organizations, invitations, invitationsBySecret, auditRecords],
    artifacts: 'none',
  },
  fields: z.object({ accountId: id }),
  page: 'showCompanySettings',
  async submit({ visit, caller, fields: { accountId } }, services) {
    await readmit(services, { ...caller, accountId });
    return redirect(linkToCompanySettings(visit));
  },
});

export const showDisconnectCompany = page({
  operationId: 'showDisconnectCompany',
  route: 'GET /{organizationId}/settings/company-sign-in/disconnect',
  lambda: 'company-settings',
  needs: 'companySignIn:change',
  fresh: 'change how members sign in',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, refused }, services) {
    const { provider } = await readCompanySettings(services, caller);
    const { name } = provider ?? refuse(notFound('Company sign-in'));
    return {
      title: `Disconnect ${name}`,
      tab: TITLE,
      breadcrumbs: [{ name: TITLE, href: linkToCompanySettings(visit) }, { name: 'Disconnect' }],
      body: (
        <QuestionPage
          question={`Disconnect ${name}?`}
          action={linkToCompanySettings(visit, 'disconnect')}
          refused={refused}
          yes="Disconnect"
          back={linkToCompanySettings(visit)}
        >
          All sessions that {name} started end at once, perhaps also yours. Members without an account of their own
          cannot sign in until a provider is connected again, or the operator of this service gives them a sign-in link.
        </QuestionPage>
      ),
    };
  },
});

export const submitDisconnectCompany = form({
  operationId: 'submitDisconnectCompany',
  route: 'POST /{organizationId}/settings/company-sign-in/disconnect',
  lambda: 'company-settings',
  needs: 'companySignIn:change',
  fresh: 'change how members sign in',
  access: {
    table: 'readWrite',
    writes: [adminNews, companyProviders, organizations, auditRecords],
    artifacts: 'none',
    providers: 'write',
  },
  page: 'showDisconnectCompany',
  async submit({ visit, caller }, services) {
    await disconnectProvider({ ...services, secrets: providers() }, caller);
    return redirect(linkToCompanySettings(visit));
  },
});
