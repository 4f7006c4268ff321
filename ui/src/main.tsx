// Where the page begins: its styles, and the page itself.
// Apart from each other because what is loaded later imports the page, and styles are in one file.

import './styles/kit.css'
import './styles/tokens.css'
import './styles/layout.css'
import './styles/pieces.css'
import './styles/dashboards.css'
import './app.js'
