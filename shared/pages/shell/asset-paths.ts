/**
 * Public paths of style sheet, scripts, icon and trace viewer, compiled in at build time. They contain a digest or
 * version.
 */
declare const BUILT_ASSET_PATHS: Readonly<
  Record<'rundown.css' | 'rundown.js' | 'passkey.js' | 'import.js' | 'icon.svg' | 'trace-viewer', string>
>;

export const assetPath = (name: keyof typeof BUILT_ASSET_PATHS): string => BUILT_ASSET_PATHS[name];
