/** The sign-in page, the first prompt: choose an organization and one of its members. */
import * as z from 'zod';
import { activeOrganizations, findMember, membersOf } from './members.ts';
import { memberPage, organizationPage } from './pages.ts';
import { fieldsOf, problem, type Reply, show, type Visit } from './visit.ts';

export async function askWho(visit: Visit): Promise<Reply> {
  const { services, query, clientName } = visit;
  const organizations = await activeOrganizations(services);
  const hasOthers = organizations.length > 1;
  const wanted = query.get('organization') ?? (hasOthers ? undefined : organizations[0]?.organizationId);
  const organization = organizations.find(({ organizationId }) => organizationId === wanted);
  if (!organization) return show(visit, organizationPage(organizations));
  const members = await membersOf(services, organization.organizationId);
  return show(visit, memberPage({ organization, members, clientName, hasOthers }));
}

const Choice = z.object({ organization: z.string(), account: z.string() });

/** The choice travels with the request. It is checked again before a grant. */
export async function takeChoice({ provider, services, req, res }: Visit): Promise<Reply> {
  const choice = Choice.safeParse(await fieldsOf(req));
  const of = choice.data && { organizationId: choice.data.organization, accountId: choice.data.account };
  if (!of || !(await findMember(services, of))) return problem(400, NO_MEMBER);
  const location = await provider.interactionResult(req, res, { login: { ...of, remember: false } });
  return { kind: 'signedIn', location };
}

export const NO_MEMBER = {
  title: 'That is no member',
  detail: 'The chosen person is not, or is no longer, a member of that organization.',
  next: 'Go back, reload the page and choose one of the members that it shows.',
};
