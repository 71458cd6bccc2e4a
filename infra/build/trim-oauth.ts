/** Adapts the library of the authorization server to bundles. */
import type { Trim } from './trim-file.ts';

export const TRIMS_OF_OAUTH: readonly Trim[] = [
  {
    // Keeps the names of models. The library stores them, and minifying drops them.
    file: /oidc-provider\/lib\/models\/(?!index|payload|token_helpers)\w+\.js$/,
    becomes: (source) =>
      source.replace(/\bclass (\w+)( extends [\w.()]+)? \{/g, "$& static get name() { return '$1'; }"),
  },
  {
    // 400 KB in three versions. The server reads and writes these types only.
    file: /\/mime-db\/db\.json$/,
    becomes: `module.exports = {
      'application/json': { charset: 'UTF-8', extensions: ['json'] },
      'application/x-www-form-urlencoded': {},
      'text/html': { extensions: ['html'] },
      'text/plain': { extensions: ['txt'] },
    };`,
  },
];
