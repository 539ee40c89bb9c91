@"%~dp0bin\node.exe" --disable-proto=delete "%~dp0app\dist\main.js" %*
