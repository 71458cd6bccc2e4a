/** The classes of attacks that tests count, and what they counted. */
import { join } from 'node:path';
import * as z from 'zod';
import { PROJECT } from './sources.ts';

/** What an attacker tries, as SECURITY.md says it. */
export const ATTACKS = {
  'foreign ids': 'Ids of another organization, in each operation of the API',
  'foreign pages': 'Pages at the address of another organization or project',
  'unusable credentials':
    'Missing, invalid, expired and revoked credentials, and those of another kind or with odd claims',
  permissions: 'Operations and tools by each kind of credential, level, permission and role',
  roles: 'Pages and forms by roles that must not use them',
  'forged forms': 'Forms that no page of the service sent',
  sessions: 'Forged, planted, ended and expired sessions',
  'return addresses': 'Addresses of other sites as the page after the sign-in',
  'stale sign-ins': 'Pages and forms that need a recent sign-in, with an older one',
  squatters: 'Accounts that a stranger created for the address of somebody else',
  'company sign-in': 'Statements of a hostile identity provider, and the sessions that it starts',
  'identity tokens': 'Identity tokens of CI jobs, and the issuers of such tokens',
  OAuth: 'Authorization requests, redirect URIs, codes and tokens of applications',
  headers: 'Forwarding headers of a client',
  shares: 'Guessed and ended shares, and objects outside of a share',
  'deleted projects': 'Requests and forms in a deleted project, and while it is deleted',
  'concurrent limits': 'Requests at the same time that would together pass a limit',
  'inside addresses': 'Addresses, names and redirects that lead into the network of the deployment',
  'hostile answers': 'Answers and texts of issue trackers and code hosts',
  'hostile bodies': 'Bodies of requests: damaged, deeply nested, enormous when unpacked, or meant to change prototypes',
  'damaged reports': 'Reports that are damaged, cut off or of an unknown format',
  'hostile reports':
    'Reports in each format with hostile values, structures and entities, in hostile archives, or that name files of the machine',
  'hostile archives': 'Archives of organizations with rows that set more than an import may',
  'settings files': 'Settings files with mistakes, enormous and deeply nested ones',
  'slow texts': 'Texts of errors that would make an expression slow',
  'secret formats': 'Secrets in the formats of services, in recorded texts',
  'wrapped secrets': 'Secrets with colors, invisible characters, escapes, line breaks or Base64',
  markup: 'Recorded texts as markup and scripts in pages',
  names: 'Names with characters that change the direction of text',
  'planted spools': 'Files outside of the working folder, named by a planted spool of the client',
} as const;

export type AttackClass = keyof typeof ATTACKS;

const Counts = z.partialRecord(z.enum(Object.keys(ATTACKS) as [AttackClass, ...AttackClass[]]), z.number());
/** The counts of each test file. */
export const CountedAttacks = z.record(z.string(), Counts);

export const COUNTED_ATTACKS = join(PROJECT, 'test/tools/attacks/counted-attacks.json');
/** The variable with the file to which `npm run attacks` makes test files append their counts. */
export const ATTACKS_FILE = 'ATTACKS_FILE';
