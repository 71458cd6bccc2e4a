/**
 * The requests that Okta and Entra ID document, in their order, with values of our own. `{user}` and `{group}` stand for
 * the ids that earlier answers gave.
 *
 * Okta: "SCIM 2.0 Protocol Reference" and its suites SPEC (R1 to R12) and CRUD. Entra: "Develop and plan provisioning
 * for a SCIM endpoint in Microsoft Entra ID" and "Known issues with SCIM 2.0 protocol compliance", with and without the
 * flag `aadOptscim062020`.
 */
export interface Step {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly status: number;
  /** What the answer contains, with `{user}` and `{group}` replaced. */
  readonly expected?: object;
  /** Keeps the id of the answer under this name. */
  readonly keeps?: 'user' | 'other' | 'group';
  readonly isUnauthorized?: boolean;
}

const USER = ['urn:ietf:params:scim:schemas:core:2.0:User'];
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const GROUP = ['urn:ietf:params:scim:schemas:core:2.0:Group'];
const ERROR = ['urn:ietf:params:scim:api:messages:2.0:Error'];
const patch = (...Operations: readonly object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
});
const filter = (path: string, text: string) => `${path}?filter=${encodeURIComponent(text)}`;

const NOBODY = { totalResults: 0, Resources: [] };

const oktaUser = {
  schemas: USER,
  userName: 'ines.vale@shop.example',
  name: { givenName: 'Ines', familyName: 'Vale' },
  emails: [{ primary: true, value: 'ines.vale@shop.example', type: 'work' }],
  displayName: 'Ines Vale',
  locale: 'en-US',
  externalId: '00uines',
  groups: [],
  password: 'n0t-stored',
  active: true,
};
const oktaStored = { ...oktaUser, id: '{user}', schemas: USER, meta: { resourceType: 'User' } };

export const OKTA: readonly Step[] = [
  { name: 'R1 a page of one user', method: 'GET', path: '/Users?count=1&startIndex=1', status: 200 },
  {
    name: 'R3 a user name that nobody has',
    method: 'GET',
    path: filter('/Users', 'userName eq "nobody@shop.example"'),
    status: 200,
    expected: NOBODY,
  },
  {
    name: 'R4 an unknown id',
    method: 'GET',
    path: '/Users/010101001010101011001010101011',
    status: 404,
    expected: { schemas: ERROR, status: '404' },
  },
  {
    name: 'R5 and CRUD: create, with a password',
    method: 'POST',
    path: '/Users',
    body: oktaUser,
    status: 201,
    keeps: 'user',
    expected: { userName: oktaUser.userName, name: oktaUser.name, active: true, displayName: 'Ines Vale' },
  },
  { name: 'R2 and R6: read', method: 'GET', path: '/Users/{user}', status: 200, expected: { id: '{user}' } },
  {
    name: 'R7 create the same user again',
    method: 'POST',
    path: '/Users',
    body: oktaUser,
    status: 409,
    expected: { schemas: ERROR, status: '409', scimType: 'uniqueness' },
  },
  {
    name: 'R8 a user name in upper case',
    method: 'GET',
    path: filter('/Users', 'userName eq "INES.VALE@SHOP.EXAMPLE"'),
    status: 200,
    expected: { totalResults: 1, Resources: [{ id: '{user}', userName: oktaUser.userName }] },
  },
  { name: 'R9 groups', method: 'GET', path: '/Groups?count=100&startIndex=1', status: 200, expected: NOBODY },
  {
    name: 'R10 no valid token',
    method: 'GET',
    path: '/Groups',
    status: 401,
    isUnauthorized: true,
    expected: { schemas: ERROR, status: '401' },
  },
  {
    name: 'R11 a path that does not exist',
    method: 'GET',
    path: '/00919288221112222',
    status: 404,
    expected: { schemas: ERROR, status: '404' },
  },
  {
    name: 'CRUD: a PUT with one change',
    method: 'PUT',
    path: '/Users/{user}',
    body: { ...oktaStored, name: { givenName: 'Ines', familyName: 'Vale-Roe' }, displayName: 'Ines Vale-Roe' },
    status: 200,
    expected: { displayName: 'Ines Vale-Roe', externalId: '00uines', active: true },
  },
  {
    name: 'CRUD: deactivate, as catalogue apps',
    method: 'PATCH',
    path: '/Users/{user}',
    body: patch({ op: 'replace', value: { active: false } }),
    status: 200,
    expected: { active: false },
  },
  {
    name: 'CRUD: reactivate',
    method: 'PATCH',
    path: '/Users/{user}',
    body: patch({ op: 'replace', value: { active: true } }),
    status: 200,
    expected: { active: true },
  },
  {
    name: 'CRUD: deactivate by PUT, as own apps',
    method: 'PUT',
    path: '/Users/{user}',
    body: { ...oktaStored, active: false },
    status: 200,
    expected: { active: false, displayName: 'Ines Vale' },
  },
  {
    name: 'CRUD: reactivate by PUT',
    method: 'PUT',
    path: '/Users/{user}',
    body: oktaStored,
    status: 200,
    expected: { active: true },
  },
  {
    name: 'push a group',
    method: 'POST',
    path: '/Groups',
    body: { schemas: GROUP, displayName: 'Shop testers', members: [] },
    status: 201,
    keeps: 'group',
    expected: { displayName: 'Shop testers', members: [] },
  },
  {
    name: 'add a member to the group',
    method: 'PATCH',
    path: '/Groups/{group}',
    body: patch({ op: 'add', path: 'members', value: [{ value: '{user}', display: 'ines.vale@shop.example' }] }),
    status: 204,
  },
  {
    name: 'read the group',
    method: 'GET',
    path: '/Groups/{group}',
    status: 200,
    expected: { members: [{ value: '{user}' }] },
  },
  {
    name: 'rename the group',
    method: 'PATCH',
    path: '/Groups/{group}',
    body: patch({ op: 'replace', value: { id: '{group}', displayName: 'Shop testing' } }),
    status: 204,
  },
  {
    name: 'remove the member',
    method: 'PATCH',
    path: '/Groups/{group}',
    body: patch({ op: 'remove', path: 'members[value eq "{user}"]' }),
    status: 204,
  },
  {
    name: 'replace all members by PUT',
    method: 'PUT',
    path: '/Groups/{group}',
    body: { schemas: GROUP, displayName: 'Shop testing', members: [{ value: '{user}', display: 'Ines' }] },
    status: 200,
    expected: { displayName: 'Shop testing', members: [{ value: '{user}' }] },
  },
  { name: 'delete the group', method: 'DELETE', path: '/Groups/{group}', status: 204 },
  { name: 'read the deleted group', method: 'GET', path: '/Groups/{group}', status: 404 },
];

const entraUser = {
  schemas: [...USER, ENTERPRISE],
  externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
  userName: 'Theo.Marsh@mill.example',
  active: true,
  emails: [{ primary: true, type: 'work', value: 'theo.marsh@mail.mill.example' }],
  meta: { resourceType: 'User' },
  name: { formatted: 'Theo Marsh', familyName: 'Marsh', givenName: 'Theo' },
  roles: [],
  [ENTERPRISE]: { department: 'Quality', manager: { value: '7' } },
};

/** `flag`: what the tenant URL of Entra ends with. It comes with each request. */
export const listEntraSteps = (flag: '' | 'aadOptscim062020'): readonly Step[] => {
  const isStandard = flag !== '';
  const withFlag = (path: string) => (isStandard ? `${path}${path.includes('?') ? '&' : '?'}${flag}` : path);
  const disabled = isStandard
    ? patch({ op: 'replace', path: 'active', value: false })
    : patch({ op: 'Replace', path: 'active', value: 'False' });
  const steps: readonly Step[] = [
    {
      name: 'test the connection with a random user name',
      method: 'GET',
      path: filter('/Users', 'userName eq "3f5f7a46-b8a6-4b2d-8e0d-0d4d2f5b7c11"'),
      status: 200,
      expected: NOBODY,
    },
    { name: 'create', method: 'POST', path: '/Users', body: entraUser, status: 201, keeps: 'user' },
    {
      name: 'read by id',
      method: 'GET',
      path: '/Users/{user}',
      status: 200,
      expected: { id: '{user}', externalId: entraUser.externalId, active: true },
    },
    {
      name: 'find by user name',
      method: 'GET',
      path: filter('/Users', 'userName eq "theo.marsh@mill.example"'),
      status: 200,
      expected: { totalResults: 1, Resources: [{ id: '{user}' }] },
    },
    {
      name: 'find by external id',
      method: 'GET',
      path: filter('/Users', `externalId eq "${entraUser.externalId}"`),
      status: 200,
      expected: { totalResults: 1 },
    },
    {
      name: 'find by the address of work',
      method: 'GET',
      path: filter('/Users', 'emails[type eq "work"].value eq "Theo.Marsh@mail.mill.example"'),
      status: 200,
      expected: { totalResults: 1 },
    },
    {
      name: 'change several attributes',
      method: 'PATCH',
      path: '/Users/{user}',
      body: patch(
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'theo@mail.mill.example' },
        { op: 'Replace', path: 'name.familyName', value: 'Marsh-Lind' },
        { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Delivery' },
        { op: 'Add', path: 'emails[type eq "other"].value', value: 'theo@home.example' },
      ),
      status: 200,
      expected: {
        name: { familyName: 'Marsh-Lind', givenName: 'Theo' },
        emails: [
          { type: 'work', value: 'theo@mail.mill.example', primary: true },
          { type: 'other', value: 'theo@home.example' },
        ],
      },
    },
    {
      name: 'change attributes without a path, with dotted names',
      method: 'PATCH',
      path: '/Users/{user}',
      body: patch({
        op: 'Replace',
        value: { displayName: 'Theo M. Lind', 'name.givenName': 'Theodor', [`${USER[0]}:externalId`]: 'e-2' },
      }),
      status: 200,
      expected: { displayName: 'Theo M. Lind', externalId: 'e-2', name: { givenName: 'Theodor' } },
    },
    {
      name: 'change the user name',
      method: 'PATCH',
      path: '/Users/{user}',
      body: patch({ op: 'Replace', path: 'userName', value: 'theo.lind@mill.example' }),
      status: 200,
      expected: { userName: 'theo.lind@mill.example' },
    },
    {
      name: 'disable',
      method: 'PATCH',
      path: '/Users/{user}',
      body: disabled,
      status: 200,
      expected: { active: false },
    },
    {
      name: 'find the disabled user, with `active`',
      method: 'GET',
      path: filter('/Users', 'userName eq "theo.lind@mill.example"'),
      status: 200,
      expected: { totalResults: 1, Resources: [{ active: false }] },
    },
    {
      name: 'enable',
      method: 'PATCH',
      path: '/Users/{user}',
      body: patch({ op: isStandard ? 'replace' : 'Replace', path: 'active', value: isStandard ? true : 'True' }),
      status: 200,
      expected: { active: true },
    },
    {
      name: 'create a group',
      method: 'POST',
      path: '/Groups',
      body: {
        schemas: [...GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
        externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
        displayName: 'Mill testers',
        meta: { resourceType: 'Group' },
      },
      status: 201,
      keeps: 'group',
    },
    {
      name: 'read the group without its members',
      method: 'GET',
      path: '/Groups/{group}?excludedAttributes=members',
      status: 200,
      expected: { id: '{group}', displayName: 'Mill testers' },
    },
    {
      name: 'find the group by its name, without its members',
      method: 'GET',
      path: `${filter('/Groups', 'displayName eq "mill testers"')}&excludedAttributes=members`,
      status: 200,
      expected: { totalResults: 1 },
    },
    {
      name: 'rename the group',
      method: 'PATCH',
      path: '/Groups/{group}',
      body: patch({ op: 'Replace', path: 'displayName', value: 'Mill testing' }),
      status: 204,
    },
    {
      name: 'add a member',
      method: 'PATCH',
      path: '/Groups/{group}',
      body: patch({ op: 'Add', path: 'members', value: [{ $ref: null, value: '{user}' }] }),
      status: 204,
    },
    {
      name: 'ask whether the user is a member',
      method: 'GET',
      path: filter('/Groups', 'id eq "{group}" and members eq "{user}"'),
      status: 200,
      expected: { totalResults: 1, Resources: [{ id: '{group}' }] },
    },
    {
      name: 'remove the member',
      method: 'PATCH',
      path: '/Groups/{group}',
      body: isStandard
        ? patch({ op: 'remove', path: 'members[value eq "{user}"]' })
        : patch({ op: 'Remove', path: 'members', value: [{ $ref: null, value: '{user}' }] }),
      status: 204,
    },
    {
      name: 'ask again',
      method: 'GET',
      path: filter('/Groups', 'id eq "{group}" and members eq "{user}"'),
      status: 200,
      expected: NOBODY,
    },
    { name: 'delete the group', method: 'DELETE', path: '/Groups/{group}', status: 204 },
    { name: 'delete the user', method: 'DELETE', path: '/Users/{user}', status: 204 },
    { name: 'read the deleted user', method: 'GET', path: '/Users/{user}', status: 404, expected: { schemas: ERROR } },
  ];
  return steps.map((step) => ({ ...step, path: withFlag(step.path) }));
};
