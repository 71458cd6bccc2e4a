/** Checks what `shared/model` declares about each kind of row, because IAM permissions are derived from it. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, matchesGlob } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listLeadingKeys } from '#infra/build/leading-keys.ts';
import { loadRowKinds } from '#infra/build/row-kinds.ts';
import { IMPORTABLE } from '#infra/cli/archives/importable-rows.ts';
import { directoryEntries } from '#shared/model/directory/directory-entry.ts';
import { directoryGroupMembers, directoryGroups } from '#shared/model/directory/directory-group.ts';
import { directoryNames } from '#shared/model/directory/directory-name.ts';
import { directoryValues } from '#shared/model/directory/directory-value.ts';
import { scimTokens, scimTokensOfOrganization } from '#shared/model/directory/scim-token.ts';
import { issuerKeys } from '#shared/model/oauth/issuer-keys.ts';
import { grants, grantsOfAccount } from '#shared/model/oauth/oauth-grant.ts';
import { oauthItems } from '#shared/model/oauth/oauth-item.ts';
import { accounts, accountsByEmail, companyAccounts } from '#shared/model/organizations/account.ts';
import { apiKeys, apiKeysOfOrganization } from '#shared/model/organizations/api-key.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { memberships, membershipsOfAccount } from '#shared/model/organizations/membership.ts';
import { allOrganizations, organizations } from '#shared/model/organizations/organization.ts';
import { personalTokens, tokensOfOrganization } from '#shared/model/organizations/personal-token.ts';
import {
  EXPIRING_ROWS,
  ROWS_OF_ORGANIZATION,
  ROWS_OF_PEOPLE,
} from '#shared/model/organizations/rows-of-organization.ts';
import { ROWS_OF_PROJECT } from '#shared/model/organizations/rows-of-project.ts';
import { signInSettings } from '#shared/model/organizations/sign-in-settings.ts';
import { ROWS_OF_RUN } from '#shared/model/runs/rows-of-run.ts';
import { challengeSecret, usedChallenges } from '#shared/model/sign-in/challenge.ts';
import { companyIdentities, companyProviders } from '#shared/model/sign-in/company-provider.ts';
import { confirmationCodes } from '#shared/model/sign-in/confirmation-code.ts';
import { passkeys, passkeysOfAccount } from '#shared/model/sign-in/passkey.ts';
import { provenDomains, provenDomainsOfOrganization } from '#shared/model/sign-in/proven-domain.ts';
import { providerIdentities, providerIdentitiesOfAccount } from '#shared/model/sign-in/provider-identity.ts';
import { sessions } from '#shared/model/sign-in/session.ts';
import { linkOfAccount, signInLinks } from '#shared/model/sign-in/sign-in-link.ts';

describe('rows that decide access', () => {
  test('The kinds of rows that decide access are exactly those in the list of this test', async () => {
    const kinds = await loadRowKinds();
    expect(kinds.length).toBeGreaterThan(30);
    expect(
      kinds
        .filter(({ guarded }) => guarded)
        .map(({ type }) => type)
        .sort(),
    ).toEqual([
      'API key',
      'API key, listed',
      'OAuth grant',
      'OAuth grant, listed',
      'OAuth item',
      'SCIM token',
      'SCIM token, listed',
      'account',
      'account, by address',
      'active organizations',
      'audit record',
      'badge',
      'badge, listed',
      'build credential',
      'challenge secret',
      'company account, by address',
      'company identity',
      'company provider',
      'confirmation code',
      'directory entry',
      'directory entry, by name',
      'directory entry, by value',
      'directory group',
      'directory group, members',
      'invitation',
      'invitation, by secret',
      'issuer keys',
      'membership',
      'membership, of an account',
      'organization',
      'organization, listed',
      'passkey',
      'passkey, listed',
      'personal token',
      'personal token, listed',
      'proven domain',
      'proven domain, listed',
      'provider identity',
      'provider identity, listed',
      'session',
      'session, listed',
      'share',
      'share, listed',
      'sign-in link',
      'sign-in link, of an account',
      'sign-in settings',
      'trusted repository',
      'used challenge',
    ]);
  });

  test('Each kind of row that decides access gives something away, except for indexes and for rows that only the service itself needs', async () => {
    const kinds = (await loadRowKinds()).filter(({ guarded, gives }) => guarded && gives === undefined);
    expect(
      kinds
        .map(({ type }) => type)
        .filter((type) => !/, (listed|by |of |members)/.test(type))
        .sort(),
    ).toEqual([
      'OAuth item',
      'account',
      'active organizations',
      'audit record',
      'challenge secret',
      'issuer keys',
      'organization',
      'proven domain',
      'used challenge',
    ]);
  });

  test('Each kind of row that contains the address of a receiver sends results to it', async () => {
    const kinds = (await loadRowKinds()).filter(({ gives }) => gives === 'results');
    expect(kinds.map(({ type }) => type).sort()).toEqual(['integration', 'notification', 'webhook']);
  });

  test.each([
    ['ACCOUNT#*', accounts, accounts.key({ accountId: 'a' })],
    ['EMAIL#*', accountsByEmail, accountsByEmail.key({ email: 'a' })],
    ['COMPANYACCOUNTS#*', companyAccounts, companyAccounts.key({ organizationId: 'a', email: 'b' })],
    ['COMPANY#*', signInSettings, signInSettings.key({ organizationId: 'a' })],
    ['SCIM#*', scimTokens, scimTokens.key({ hash: 'a' })],
    [
      'SCIMTOKENS#*',
      scimTokensOfOrganization,
      scimTokensOfOrganization.key({ organizationId: 'a', tokenId: 't', createdAt: 0, hash: 'h' }),
    ],
    ['DIRECTORY#*', directoryEntries, directoryEntries.key({ organizationId: 'a', entryId: 'b' })],
    ['DIRECTORYGROUPS#*', directoryGroups, directoryGroups.key({ organizationId: 'a', groupId: 'b' })],
    [
      'DIRECTORYMEMBERS#*',
      directoryGroupMembers,
      directoryGroupMembers.key({ organizationId: 'a', groupId: 'b', entryId: 'c' }),
    ],
    ['DIRECTORYNAMES#*', directoryNames, directoryNames.key({ organizationId: 'a', of: 'USER', name: 'b' })],
    [
      'DIRECTORYVALUES#*',
      directoryValues,
      directoryValues.key({ organizationId: 'a', of: 'EMAIL', value: 'b', entryId: 'c' }),
    ],
    ['PROVIDER#*', companyProviders, companyProviders.key({ organizationId: 'a' })],
    ['IDENTITIES#*', companyIdentities, companyIdentities.key({ organizationId: 'a', identity: 'b' })],
    ['KEY#*', apiKeys, apiKeys.key({ hash: 'a' })],
    [
      'KEYS#*',
      apiKeysOfOrganization,
      apiKeysOfOrganization.key({ organizationId: 'a', keyId: 'k', createdAt: 0, hash: 'h' }),
    ],
    ['AUDIT#*', auditRecords, auditRecords.key({ organizationId: 'a', at: 0, auditId: 'b' })],
    ['INVITATIONS#*', invitations, invitations.key({ organizationId: 'a', email: 'b' })],
    ['INVITATION#*', invitationsBySecret, invitationsBySecret.key({ hash: 'a' })],
    ['MEMBERS#*', memberships, memberships.key({ organizationId: 'a', accountId: 'b' })],
    ['MEMBERSHIPS#*', membershipsOfAccount, membershipsOfAccount.key({ organizationId: 'b', accountId: 'a' })],
    ['SESSION#*', sessions, sessions.key({ hash: 'a' })],
    ['LINK#*', signInLinks, signInLinks.key({ hash: 'a' })],
    ['CODES#*', confirmationCodes, confirmationCodes.key({ accountId: 'a' })],
    ['LINKS#*', linkOfAccount, linkOfAccount.key({ accountId: 'a' })],
    ['PASSKEY#*', passkeys, passkeys.key({ hash: 'a' })],
    [
      'PASSKEYS#*',
      passkeysOfAccount,
      passkeysOfAccount.key({ accountId: 'a', passkeyId: 'p', createdAt: 0, hash: 'h' }),
    ],
    ['IDENTITY#*', providerIdentities, providerIdentities.key({ identity: 'a' })],
    [
      'ACCOUNTIDENTITIES#*',
      providerIdentitiesOfAccount,
      providerIdentitiesOfAccount.key({ accountId: 'a', issuer: 'i' }),
    ],
    ['DOMAIN#*', provenDomains, provenDomains.key({ domain: 'a' })],
    [
      'DOMAINS#*',
      provenDomainsOfOrganization,
      provenDomainsOfOrganization.key({ organizationId: 'a', domain: 'a.example' }),
    ],
    ['CHALLENGES', challengeSecret, challengeSecret.key({})],
    ['USED#*', usedChallenges, usedChallenges.key({ hash: 'a' })],
    ['OAUTH#*', oauthItems, oauthItems.key({ model: 'Client', hash: 'b' })],
    ['GRANT#*', grants, grants.key({ hash: 'a' })],
    [
      'GRANTS#*',
      grantsOfAccount,
      grantsOfAccount.key({ accountId: 'a', organizationId: 'b', createdAt: 0, hash: 'h' }),
    ],
    ['ISSUER', issuerKeys, issuerKeys.key({})],
    ['ORG#*', organizations, organizations.key({ organizationId: 'a' })],
    ['ORGS', allOrganizations, allOrganizations.key({ organizationId: 'a', createdAt: 0 })],
    ['TOKEN#*', personalTokens, personalTokens.key({ hash: 'a' })],
    [
      'TOKENS#*',
      tokensOfOrganization,
      tokensOfOrganization.key({ organizationId: 'a', tokenId: 't', createdAt: 0, hash: 'h' }),
    ],
  ])('are matched by their pattern %s', async (pattern, { type }, { pk }) => {
    const kinds = (await loadRowKinds()).filter((kind) => kind.type === type);
    expect(listLeadingKeys(kinds)).toEqual([pattern]);
    expect(matchesGlob(pk.split('#', 2).join('#'), pattern)).toBe(true);
  });
});

describe('rows that belong to a run', () => {
  test('Every kind of row is deleted with its run, its project, its organization or its member, or expires, except for the kinds in the list of this test, so a new kind must declare its deletion', async () => {
    const kinds = await loadRowKinds();
    const typesOf = (some: readonly { readonly type: string }[]) => some.map(({ type }) => type).sort();
    expect(typesOf(ROWS_OF_RUN)).toEqual(typesOf(kinds.filter(({ removal }) => removal !== 'apart')));
    const owned = [...ROWS_OF_PROJECT, ...ROWS_OF_ORGANIZATION].flatMap((rows) => rows.kinds);
    // A turn to create belongs to a project or to its organization.
    const removed = typesOf([...new Set(owned), ...ROWS_OF_PEOPLE, ...EXPIRING_ROWS]);
    expect(new Set(removed).size).toBe(removed.length);
    const others = kinds.filter(({ type, removal }) => removal === 'apart' && !removed.includes(type));
    // Rows of the whole service, organizations and projects with their lists, and pending work, whose rows are deleted
    // when it is done.
    expect(typesOf(others)).toEqual([
      'active organizations',
      'challenge secret',
      'checkpoint',
      'due analytics',
      'due deletion',
      'due delivery',
      'due erasure',
      'due issues',
      'due notification',
      'due organization',
      'due project',
      'issuer keys',
      'organization',
      'organization, listed',
      'outbox',
      'outbox retry',
      'parked outbox row',
      'project',
      'project, listed',
    ]);
  });

  test.each(ROWS_OF_RUN.map((kind) => [kind.type, kind] as const))(
    'The row kind %s declares how the deletion of a run finds its rows',
    (_, { removal: { ofRun, pointers, ofInstance, ofTest } }) => {
      expect([ofRun, pointers, ofInstance, ofTest].some((finds) => finds !== undefined)).toBe(true);
    },
  );
});

describe('rows in the archive of an organization', () => {
  test('Each kind of row has an entry that says what an import may set, so a new kind must declare it', async () => {
    const kinds = (await loadRowKinds()).map(({ type }) => type);
    expect([...IMPORTABLE.keys()].sort()).toEqual(kinds.sort());
  });

  test('Each kind of row that decides access or names a credential lists its attributes, or is in no archive', async () => {
    const guarded = (await loadRowKinds()).filter((kind) => kind.guarded).map(({ type }) => type);
    for (const type of [...guarded, 'integration', 'notification', 'webhook', 'project']) {
      const { kind, pickImportable } = IMPORTABLE.get(type) ?? {};
      expect({ type, kept: kind === 'leftOut' ? {} : pickImportable?.({ secretName: 'elsewhere/1' }) }).toEqual({
        type,
        kept: {},
      });
    }
  });
});

describe('a synthesis with an invalid row kind', () => {
  async function resources(files: Readonly<Record<string, string>>): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'rundown-resources-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    await mkdir(join(directory, 'shared/model'), { recursive: true });
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(directory, 'shared/model', name), text);
    }
    return directory;
  }
  const entity = (name: string, guarded: string, partition: string, sk: string) =>
    `export const ${name} = { type: '${name}', removal: 'apart', ${guarded} patterns: [{ question: '' }], key: ({ id }) => ({ pk: \`${partition}\${id}\`, sk: '${sk}' }) };`;

  test.each([
    [
      'an entity without `guarded`',
      { 'grant.ts': entity('grants', '', 'GRANT#', 'GRANT') },
      'shared/model/grant.ts: "grants" must set guarded: true if its rows control who may do what, otherwise guarded: false',
    ],
    [
      'an entity that does not say how its rows are removed',
      {
        'grant.ts': `export const grants = { type: 'grants', guarded: false, patterns: [] };`,
      },
      `shared/model/grant.ts: "grants" must set removal to an object that says how its rows are deleted with their run, or to 'apart' if they belong to no run`,
    ],
    [
      'guarded rows in a partition with other rows',
      {
        'grant.ts': entity('grants', 'guarded: true,', 'RUN#', 'GRANT'),
        'run.ts': entity('runs', 'guarded: false,', 'RUN#', 'RUN'),
      },
      '"grants" is guarded and shares RUN#* with "runs": give "grants" a partition key of its own',
    ],
    [
      'a key that does not begin with a name',
      { 'grant.ts': entity('grants', 'guarded: true,', '', 'GRANT') },
      '"grants": the pattern "pk = id, sk = GRANT" must begin with a name in capitals, such as "pk = NAME#..." or "pk = NAME, ..."',
    ],
    [
      'a key that does not name its members',
      {
        'grant.ts': `export const grants = { type: 'grants', guarded: true, removal: 'apart', patterns: [{ question: '' }], key: ({ ...row }) => ({ pk: \`GRANT#\${row.hash}\`, sk: 'GRANT' }) };`,
      },
      'key() must name each member that it uses, because access patterns are derived from the names',
    ],
  ])('A synthesis with %s fails, and the error says how to correct it', async (_, files, message) => {
    await expect(loadRowKinds(await resources(files))).rejects.toThrow(message);
  });
});
