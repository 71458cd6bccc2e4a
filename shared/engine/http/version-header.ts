/**
 * The version in `package.json`. It is apart from the commit, which would change the bundles of all functions with each
 * deployment.
 */
declare const BUILT_VERSION: string;

/** Our clients compare this header with their own version, and say so if they should be updated. */
export const versionHeader = (): Readonly<Record<string, string>> => ({ 'rundown-version': BUILT_VERSION });
