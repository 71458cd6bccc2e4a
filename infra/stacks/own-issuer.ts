/** §5.3 The functions of the own authorization server. With an external issuer they do not exist. */
import type { DeclaredFunctions } from '#infra/build/declarations.ts';

const FOLDERS = ['consent', 'oauth'];

export const withoutOwnIssuer = <Functions extends DeclaredFunctions>(functions: Functions): Functions => ({
  ...functions,
  routeFunctions: functions.routeFunctions.filter(({ folder }) => !FOLDERS.includes(folder)),
  pageFunctions: functions.pageFunctions.filter(({ folder }) => !FOLDERS.includes(folder)),
});
