/**
 * The version in `package.json`. It does not contain the commit, which would change the bundles of all functions with
 * each deployment.
 */
declare const BUILT_VERSION: string;

/** Our clients compare this header with their own version, and warn if the two versions are too far apart. */
export const getVersionHeader = (): Readonly<Record<string, string>> => ({ 'rundown-version': BUILT_VERSION });
