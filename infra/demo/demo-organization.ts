/** Creates the demo data at the first start: an organization with projects, members and credentials. */

import { join } from 'node:path';
import * as z from 'zod';
import { parseData, readData, readIfThere, replaceFile } from '#infra/local/host/json-files.ts';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { hashToken } from '#shared/access/token.ts';
import { apiKeys } from '#shared/model/organizations/api-key.ts';
import { ROLES } from '#shared/model/organizations/membership.ts';
import { createAccount, findAccount } from '#shared/organizations/create-account.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { formatDsn } from '#shared/organizations/dsn.ts';
import { addMember } from '#shared/organizations/members.ts';
import { createPersonalToken } from '#shared/organizations/personal-tokens.ts';
import type { Services } from '#shared/services.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { createSignInLink } from '#shared/sign-in/links.ts';
import { writeStoryFile } from './recording/story-file.ts';
import { PEOPLE, toDemoEmail } from './story/people.ts';

const Project = z.object({ projectId: z.string(), name: z.string() });
const Member = z.object({ email: z.string(), role: z.enum(ROLES) });

/** Stored separately from the keys: deleting the file with the keys creates new keys for the same data. */
const Demo = z.object({
  /** Identifies the data store that has this organization. */
  store: z.string(),
  organizationId: z.string(),
  projects: z.array(Project),
  /** The owner of the demo's personal access token. */
  adminAccountId: z.string(),
  members: z.array(Member),
});
type Demo = z.infer<typeof Demo>;

const Credentials = z.object({
  apiKeys: z.object({ readWrite: z.string(), readOnly: z.string() }),
  personalAccessToken: z.string(),
});
type Credentials = z.infer<typeof Credentials>;

/** Client id and endpoints are absent for an external issuer. */
const OauthFile = z.object({
  issuer: z.string(),
  clientId: z.string().optional(),
  authorizationEndpoint: z.string().optional(),
  tokenEndpoint: z.string().optional(),
  revocationEndpoint: z.string().optional(),
});
export type OauthFile = z.infer<typeof OauthFile>;

/** The content of `local.json`, for people and scripts. Its format must stay stable across releases. */
export const LocalFile = z.object({
  baseUrl: z.string(),
  recordUrl: z.string(),
  mcpUrl: z.string(),
  organizationId: z.string(),
  projects: z.array(Project),
  members: z.array(Member),
  dashboardUrl: z.string(),
  /** `RUNDOWN_DSN` of the first project, with the Read & Write key. */
  dsn: z.string(),
  /** The members of the organization, each with a one-time sign-in link. */
  people: z.array(Member.extend({ signInLink: z.string() })),
  /** §5.3 The accepted issuer of access tokens. */
  oauth: OauthFile,
  ...Credentials.shape,
});
export type LocalFile = z.infer<typeof LocalFile>;

export interface DemoOptions {
  readonly services: Services;
  readonly dataDirectory: string;
  readonly origin: string;
  readonly baseUrl: string;
  readonly oauth: OauthFile;
  /** Identifies the data store, so that a data folder of a different store is detected. */
  readonly store: string;
  /** Whether a new demo organization gets the projects of the story. Otherwise it gets one empty project. */
  readonly story?: boolean;
}

/** The file keeps the keys across starts, because their values are known only at creation. */
export async function writeLocalFile(options: DemoOptions): Promise<LocalFile> {
  const { services, dataDirectory, origin, baseUrl, store, oauth } = options;
  const localFile = join(dataDirectory, 'local.json');
  const demoFile = join(dataDirectory, 'demo.json');
  let demo = await readData(demoFile, Demo, NEW_DEMO);
  let credentials = parseData(Credentials, await readIfThere(localFile));
  // This is the first start, the data folder belongs to another store, or its data was deleted.
  if (demo?.store !== store || (credentials && !(await isStored(services, credentials.apiKeys.readWrite)))) {
    demo = await createDemo(options);
    credentials = undefined;
    await replaceFile(demoFile, demo);
  }
  const { organizationId, projects, members } = demo;
  credentials ??= await createCredentials(services, demo);
  const minutes = SIGN_IN_LIMITS.linkMinutes.maximum;
  const people = await Promise.all(
    members.map(async (member) => {
      const { secret } = await createSignInLink(services, { actor: OPERATOR, email: member.email, minutes });
      return { ...member, signInLink: `${origin}/sign-in/link#${secret}` };
    }),
  );
  const urls = { baseUrl, recordUrl: origin, mcpUrl: `${origin}/mcp`, dashboardUrl: origin };
  const dsn = formatDsn(origin, projects[0]?.projectId ?? '', credentials.apiKeys.readWrite);
  const content = { ...urls, dsn, organizationId, projects, members, people, oauth, ...credentials };
  await replaceFile(localFile, content);
  return content;
}

const NEW_DEMO =
  'Delete it and start again: you get a new demo organization. The data of the old one stays, and "npm run admin -- organizations list" shows it';

async function createDemo({ services, store, story, dataDirectory }: DemoOptions): Promise<Demo> {
  const { organizationId } = await createOrganization(services, { name: 'Demo', actor: OPERATOR });
  const projects = [];
  const retention = story ? { retention: STORY_RETENTION } : {};
  for (const name of story ? ['Shop', 'Warehouse', 'Wholesale', 'Accounting'] : ['Demo project']) {
    const { projectId } = await createProject(services, { organizationId, name, actor: OPERATOR, ...retention });
    projects.push({ projectId, name });
  }
  const members = [];
  const accountIds: string[] = [];
  for (const role of ['admin', 'actionsAdmin', 'member', 'guest'] as const) {
    const email = toDemoEmail(role);
    const { accountId } =
      (await findAccount(services, email)) ?? (await createAccount(services, { email, name: PEOPLE[role] }));
    await addMember(services, { organizationId, accountId, role, actor: OPERATOR });
    accountIds.push(accountId);
    members.push({ email, role });
  }
  const [adminAccountId = ''] = accountIds;
  const [shop, warehouse, wholesale, accounting] = projects.map(({ projectId }) => projectId);
  if (shop && warehouse) {
    const progress = { startedAt: services.now(), recorded: [] };
    const storyProjects = { shop, warehouse, wholesale, accounting };
    await writeStoryFile(dataDirectory, { organizationId, adminAccountId, projects: storyProjects, ...progress });
  }
  return { store, organizationId, projects, adminAccountId, members };
}

/** The default retention of dev would soon delete the oldest runs of the story. */
const STORY_RETENTION = { resultsDays: 365, evidenceDays: 90, filesDays: 90 };

async function createCredentials(services: Services, { organizationId, adminAccountId }: Demo): Promise<Credentials> {
  const make = (level: 'readWrite' | 'readOnly') =>
    createApiKey(services, { organizationId, label: `Demo, ${level}`, level, actor: OPERATOR });
  const [readWrite, readOnly] = await Promise.all([make('readWrite'), make('readOnly')]);
  const token = await createPersonalToken(services, {
    organizationId,
    actor: makePerson({ accountId: adminAccountId }),
    name: 'Demo',
    permissions: ['projects:read', 'results:read', 'analytics:read', 'actions:read'],
    lifetime: '1y',
  });
  return { apiKeys: { readWrite: readWrite.value, readOnly: readOnly.value }, personalAccessToken: token.value };
}

/** Reads the row of the key, because a request would wait until its functions are built. */
const isStored = async ({ table }: Services, key: string): Promise<boolean> =>
  (await table.get(apiKeys, { hash: hashToken(key) }, { consistent: true })) !== undefined;
