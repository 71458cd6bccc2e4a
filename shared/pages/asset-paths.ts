/** The public paths of style, script and icon. Their names contain a digest of their content. The build compiles them in. */
declare const BUILT_ASSET_PATHS: Readonly<Record<'rundown.css' | 'rundown.js' | 'icon.svg', string>>;

export const assetPath = (name: keyof typeof BUILT_ASSET_PATHS): string => BUILT_ASSET_PATHS[name];
