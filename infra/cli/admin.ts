/** `npm run admin -- <noun> <verb>`: administers the organizations of a local or deployed service. */
import { runAdmin } from './administer.ts';
import { TERMINAL } from './terminal/terminal.ts';

process.exitCode = await runAdmin(process.argv.slice(2), TERMINAL);
