/** What this service says about itself in SCIM: its abilities, its types of resources and their schemas (RFC 7644, 4). */

import { DIRECTORY_LIMITS } from './limits.ts';
import { CORE_GROUP, CORE_USER } from './paths.ts';
import { SCIM_PATH } from './resources.ts';

export const makeServiceProviderConfig = (origin: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  documentationUri: `${origin}/docs/provisioning`,
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: DIRECTORY_LIMITS.page },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'SCIM token',
      description: 'A token that an Admin creates in the dashboard, as Authorization: Bearer rdn_scim_...',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${origin}${SCIM_PATH}/ServiceProviderConfig` },
});

export const listResourceTypes = (origin: string) =>
  (['User', 'Group'] as const).map((name) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: name,
    name,
    endpoint: `/${name}s`,
    description: name === 'User' ? 'A person' : 'A group of people',
    schema: name === 'User' ? CORE_USER : CORE_GROUP,
    meta: { resourceType: 'ResourceType', location: `${origin}${SCIM_PATH}/ResourceTypes/${name}` },
  }));

interface Attribute {
  readonly name: string;
  readonly description: string;
  readonly type?: 'boolean' | 'complex' | 'reference';
  readonly multiValued?: boolean;
  readonly required?: boolean;
  readonly mutability?: 'readOnly' | 'immutable';
  readonly uniqueness?: 'server';
  readonly caseExact?: boolean;
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly Attribute[];
}

const toAttribute = ({ subAttributes, ...attribute }: Attribute): object => ({
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...attribute,
  subAttributes: subAttributes?.map(toAttribute),
});

const USER_ATTRIBUTES: readonly Attribute[] = [
  { name: 'userName', description: 'Unique name, best the email address', required: true, uniqueness: 'server' },
  {
    name: 'name',
    description: 'Parts of the name of the person',
    type: 'complex',
    subAttributes: [
      { name: 'formatted', description: 'The whole name' },
      { name: 'familyName', description: 'Family name' },
      { name: 'givenName', description: 'Given name' },
    ],
  },
  { name: 'displayName', description: 'The name that others see' },
  {
    name: 'emails',
    description: 'Email addresses. Needed unless the user name is one',
    type: 'complex',
    multiValued: true,
    required: true,
    subAttributes: [
      { name: 'value', description: 'The address', required: true },
      { name: 'type', description: 'Such as work' },
      { name: 'primary', description: 'Whether it is the main address', type: 'boolean' },
    ],
  },
  { name: 'active', description: 'Whether the person is a member of the organization', type: 'boolean' },
  {
    name: 'groups',
    description: 'Groups of the person',
    type: 'complex',
    multiValued: true,
    mutability: 'readOnly',
    subAttributes: [
      { name: 'value', description: 'Id of the group', mutability: 'readOnly', caseExact: true },
      { name: '$ref', description: 'The group', type: 'reference', referenceTypes: ['Group'], mutability: 'readOnly' },
      { name: 'display', description: 'Name of the group', mutability: 'readOnly' },
      {
        name: 'type',
        description: 'How the person belongs to it',
        canonicalValues: ['direct'],
        mutability: 'readOnly',
      },
    ],
  },
];

const GROUP_ATTRIBUTES: readonly Attribute[] = [
  { name: 'displayName', description: 'Unique name of the group', required: true, uniqueness: 'server' },
  {
    name: 'members',
    description: 'Users in the group',
    type: 'complex',
    multiValued: true,
    subAttributes: [
      { name: 'value', description: 'Id of the user', mutability: 'immutable', caseExact: true },
      { name: '$ref', description: 'The user', type: 'reference', referenceTypes: ['User'], mutability: 'immutable' },
      { name: 'type', description: 'Always User', canonicalValues: ['User'], mutability: 'immutable' },
    ],
  },
];

export const listSchemas = (origin: string) =>
  [
    { id: CORE_USER, name: 'User', description: 'A person', attributes: USER_ATTRIBUTES },
    { id: CORE_GROUP, name: 'Group', description: 'A group of people', attributes: GROUP_ATTRIBUTES },
  ].map(({ attributes, ...schema }) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    ...schema,
    attributes: attributes.map(toAttribute),
    meta: { resourceType: 'Schema', location: `${origin}${SCIM_PATH}/Schemas/${schema.id}` },
  }));
