// Styles are imported for what they do, by the bundler; as modules
// they have nothing to give.

declare module '*.css' {}
