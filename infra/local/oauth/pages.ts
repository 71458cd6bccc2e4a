/** The pages of the issuer. Plain HTML without scripts or external resources. */
import type { Role } from '#shared/model/membership.ts';
import type { Organization } from '#shared/model/organization.ts';
import { type Html, html, type Page } from './html.ts';
import type { Member } from './members.ts';
import { meaningOf } from './names.ts';

export const NOTE: Html = html`<strong>For trying on this machine only.</strong> This sign-in asks for no password.`;

const ROLE_NAMES: Readonly<Record<Role, string>> = {
  admin: 'Admin',
  actionsAdmin: 'Actions Admin',
  member: 'Member',
  guest: 'Guest',
};

export const organizationPage = (organizations: readonly Organization[]): Page => ({
  title: 'Choose an organization',
  content:
    organizations.length === 0
      ? html`<p>There is no active organization yet. Create one with a member, then reload this page:</p>
<p><code>npm run admin -- organizations create --name &lt;name&gt;</code></p>`
      : html`<p>The access is for one organization.</p>
<ul class="choices">
${organizations.map(({ organizationId, name }) => html`<li><a href="?organization=${encodeURIComponent(organizationId)}">${name}</a></li>\n`)}</ul>`,
});

export interface MemberChoice {
  readonly organization: Organization;
  readonly members: readonly Member[];
  readonly clientName: string;
  readonly hasOthers: boolean;
}

export const memberPage = ({ organization, members, clientName, hasOthers }: MemberChoice): Page => ({
  title: `Sign in to ${organization.name}`,
  content: html`<p><strong>${clientName}</strong> wants to act as one of its members.</p>
${members.length === 0 ? nobody(organization.organizationId) : memberForm(organization.organizationId, members)}
${hasOthers ? html`<p><a href="?">Another organization</a></p>` : undefined}`,
});

const nobody = (organizationId: string): Html =>
  html`<p>It has no member yet. Add one, then reload this page:</p>
<p><code>npm run admin -- members add --organization ${organizationId} --email &lt;address&gt; --role admin</code></p>`;

const memberForm = (organizationId: string, members: readonly Member[]): Html =>
  html`<form method="post">
<input type="hidden" name="organization" value="${organizationId}">
<fieldset><legend>Who are you?</legend>
${members.map(
  ({ accountId, name, email, role }) =>
    html`<label><input type="radio" name="account" value="${accountId}" required><span>${name}, ${ROLE_NAMES[role]}<br><span class="soft">${email}</span></span></label>\n`,
)}</fieldset>
<p class="buttons"><button class="main">Continue</button></p>
</form>`;

export interface Consent {
  readonly clientName: string;
  readonly member: Member;
  readonly resources: readonly string[];
  readonly scopes: readonly string[];
  /** The browser's destination afterwards. */
  readonly returnsTo: string;
}

export const consentPage = ({ clientName, member, resources, scopes, returnsTo }: Consent): Page => ({
  title: `Allow ${clientName}?`,
  content: html`<p><strong>${clientName}</strong> wants to act as <strong>${member.name}</strong> (${member.email}) in the organization
<strong>${member.organizationName}</strong>, at ${resources.join(' and ')}.</p>
<h2>It asks to</h2>
<ul>
${scopes.map((scope) => html`<li>${meaningOf(scope)}<br><code class="soft">${scope}</code></li>\n`)}</ul>
<h2>Good to know</h2>
<p>Your role is ${ROLE_NAMES[member.role]}. What it does not permit is refused, whatever you allow here.</p>
<p>${
    scopes.includes('offline_access')
      ? 'An access token ends after an hour. It is renewed until you revoke it, for 30 days at most.'
      : 'The access token ends after an hour, and cannot be renewed.'
  }</p>
<form method="post">
<p class="buttons"><button class="main" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button></p>
</form>
<p class="soft">Either way you return to ${returnsTo}.</p>`,
});

export interface Problem {
  readonly title: string;
  readonly detail: string;
  /** The user's next step. */
  readonly next: string;
}

export const problemPage = ({ title, detail, next }: Problem): Page => ({
  title,
  content: html`<p>${detail}</p>
<p>${next}</p>`,
});
