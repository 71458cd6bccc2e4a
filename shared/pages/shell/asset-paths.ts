/**
 * The public paths of the scripts, the icon, the trace viewer and the third-party notices, which the
 * build embeds in the bundle. Each path contains a digest or a version.
 */
declare const BUILT_ASSET_PATHS: Readonly<
  Record<'rundown.js' | 'passkey.js' | 'import.js' | 'icon.svg' | 'trace-viewer' | 'third-party-notices.txt', string>
>;

export const getAssetPath = (name: keyof typeof BUILT_ASSET_PATHS): string => BUILT_ASSET_PATHS[name];
