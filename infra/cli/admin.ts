/**
 * `npm run admin -- <noun> <verb>`: administers organizations, people, projects and credentials of a local or deployed
 * service.
 */
import { administer } from './administer.ts';
import { TERMINAL } from './terminal.ts';

process.exitCode = await administer(process.argv.slice(2), TERMINAL);
