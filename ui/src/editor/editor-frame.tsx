// What stands where an editor comes, while its code is on its way:
// its box, so that nothing around it moves.

export function EditorFrame() {
  return <div className="editor" />
}
